#!/usr/bin/env bash
# Reviews an OpenAPI document in a pull request: lint, freshness of generated crates, diff, outlines.
#
# Writes one report, keeps one comment of the pull request up to date with it, and exits with 1 if a check fails. Reads
# the variables REVIEW_* (action.yml describes them) and those of GitHub Actions. Without the latter it prints the report,
# so it also runs on a developer's machine:
#
#   REVIEW_DOCUMENT=spec/api.yaml REVIEW_BASE=main .github/actions/openapi-review/review.sh
set -euo pipefail

# A document and its settings can name any file, and a message can quote it. So the checks have no token, and read only
# files of the repository.
token=${GH_TOKEN:-}
unset GH_TOKEN GITHUB_TOKEN
OPENAPI_CRATES_ROOT=$(git rev-parse --show-toplevel)
export OPENAPI_CRATES_ROOT

document=${REVIEW_DOCUMENT:?the path of the document is missing}
tool=${REVIEW_COMMAND:-openapi-crates}
fail_on=${REVIEW_FAIL_ON:-breaking}
# GitHub refuses comments above 65,536 characters, and summaries of a job above 1 MiB.
comment_limit=${REVIEW_COMMENT_LIMIT:-65000}
summary_limit=1000000
marker="<!-- openapi-review: $document -->"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- The base ---------------------------------------------------------------------------------------------------------

# Prints the commit to compare with: the first parent of the merge that GitHub tests, or else the merge base.
base() {
  local parents
  # Unlike `git log`, this also knows the parents in a clone with one commit.
  parents=$(git cat-file commit HEAD | sed -n '1,/^$/s/^parent //p')
  if [[ -n ${REVIEW_BASE:-} ]]; then
    echo "$REVIEW_BASE"
  elif [[ ${GITHUB_REF:-} == refs/pull/*/merge && $(wc -l <<<"$parents") -eq 2 ]]; then
    head -n 1 <<<"$parents"
  elif [[ -n ${GITHUB_BASE_REF:-} ]]; then
    git merge-base "origin/$GITHUB_BASE_REF" HEAD
  else
    echo "missing base: set the input \`base\` outside of pull requests" >&2
    return 2
  fi
}

base=$(base)
# A checkout of GitHub Actions has one commit.
git cat-file -e "$base^{commit}" 2>/dev/null || git fetch --quiet --no-tags --depth=1 origin "$base"
base=$(git rev-parse --verify --quiet "$base^{commit}" || git rev-parse --verify 'FETCH_HEAD^{commit}')

# --- The checks -------------------------------------------------------------------------------------------------------

failed=0
rows=()

# Runs a check: name, the command that replaces it (`none` leaves it out), the command with its arguments.
# Keeps its output in a file, and its exit code in `code`.
check() {
  local name=$1 replacement=$2
  shift 2
  code=0
  if [[ $replacement == none ]]; then
    : >"$work/$name.out" >"$work/$name.err"
  elif [[ -n $replacement ]]; then
    bash -c "$replacement" >"$work/$name.out" 2>"$work/$name.err" || code=$?
  else
    "$@" >"$work/$name.out" 2>"$work/$name.err" || code=$?
  fi
  print_messages "$work/$name.err"
}

# Prints messages to the log. They quote the document, whose lines must not become commands of GitHub Actions.
print_messages() {
  if [[ -n ${GITHUB_ACTIONS:-} ]]; then
    local end="end-$RANDOM$RANDOM$RANDOM"
    printf '::stop-commands::%s\n' "$end" >&2
    cat "$1" >&2
    printf '\n::%s::\n' "$end" >&2
  else
    cat "$1" >&2
  fi
}

# Runs the command of the tool for the document, with the settings file if there is an input for it.
tool() {
  # The command may have arguments of its own.
  # shellcheck disable=SC2086
  $tool "$@" ${REVIEW_CONFIG:+--config "$REVIEW_CONFIG"}
}

# Adds a row to the table of checks: name, result, whether it fails.
row() {
  rows+=("| $1 | $2 |")
  if [[ $3 != 0 ]]; then failed=1; fi
}

# Prints the last line of some files as code, for a cell of a table.
last_line() { cat "$@" | sed '/^ *$/d' | tail -n 1 | tr '|`' "/'" | sed 's/.*/`&`/'; }

check lint "${REVIEW_LINT:-}" tool lint "$document"
print_messages "$work/lint.out"
if [[ ${REVIEW_LINT:-} != none ]]; then
  row lint "$([[ $code == 0 ]] && echo passed || echo '**failed**'): $(last_line "$work"/lint.{err,out})" "$code"
fi

settings=${REVIEW_CONFIG:-$(dirname "$document")/openapi-crates.toml}
if [[ -z ${REVIEW_FRESH:-} ]] && ! grep -qs '^ *out *=' "$settings"; then
  # Nothing says where the generated crates are.
  REVIEW_FRESH=none
fi
check fresh "${REVIEW_FRESH:-}" tool generate "$document" --check
if [[ ${REVIEW_FRESH:-} != none ]]; then
  row 'generated files' "$([[ $code == 0 ]] && echo 'up to date' || echo '**out of date**'): $(last_line "$work"/fresh.{err,out})" "$code"
fi

# Compares the document with that of the base: form of the report, verdict that fails.
compare() {
  local arguments=(--against "$base" --format "$1" --fail-on "$2" ${REVIEW_ACCEPTED:+--accepted "$REVIEW_ACCEPTED"})
  if [[ -n ${REVIEW_DIFF:-} ]]; then
    bash -c "$REVIEW_DIFF \"\$@\"" bash "${arguments[@]}"
  else
    tool diff "$document" "${arguments[@]}"
  fi
}

# Prints the outline of the document, or of `revision:path`.
outline() {
  if [[ -n ${REVIEW_OUTLINE:-} ]]; then
    bash -c "$REVIEW_OUTLINE \"\$@\"" bash "$1"
  else
    tool outline "$1"
  fi
}

touch "$work/diff.out" "$work/diff.err" "$work/outline.diff"
if ! git cat-file -e "$base:./$document" 2>/dev/null; then
  row changes 'the document is new' 0
else
  check diff '' compare markdown "$fail_on"
  if [[ $code == 0 ]]; then
    row changes 'none that fails' 0
  elif [[ -s $work/diff.out ]]; then
    row changes "**some fail** (\`fail-on: $fail_on\`)" 1
  else
    row changes "**not compared**: $(last_line "$work/diff.err")" 1
  fi
  if [[ -s $work/diff.out && -n ${GITHUB_ACTIONS:-} ]]; then
    compare github never 2>/dev/null
  fi
  if [[ -s $work/diff.out && -n ${REVIEW_SARIF:-} ]]; then
    compare sarif never >"$REVIEW_SARIF" 2>/dev/null
  fi
  # A document that can't be read has no outline, and the report says so above.
  if outline "$base:./$document" >"$work/old.outline" 2>/dev/null &&
    outline "$document" >"$work/new.outline" 2>/dev/null; then
    diff -U 3 -F '^[^ ]' --label "$document at $(git rev-parse --short "$base")" --label "$document" \
      "$work/old.outline" "$work/new.outline" >"$work/outline.diff" || true
  fi
fi

# --- The report -------------------------------------------------------------------------------------------------------

# Prints a file as whole lines within a number of bytes, and says what is left out.
cut_to() {
  local file=$1 limit=$2
  if (($(wc -c <"$file") <= limit)); then
    cat "$file"
    return
  fi
  LC_ALL=C awk -v limit="$limit" '
    { size += length($0) + 1 }
    size <= limit && !rest { print; opened += gsub(/<details>/, "") - gsub(/<\/details>/, "") ; next }
    { rest++ }
    END { while (opened-- > 0) print "\n</details>"; print "\n… and " rest " more lines" }' "$file"
}

# Prints a section that is folded: title, file, bytes, language of the code.
folded() {
  local title=$1 file=$2 limit=$3 language=$4
  [[ -s $file ]] || return 0
  # A fence of code ends at a line that starts with it, so it is longer than any in the file.
  local fence='```'
  while grep -q "^ *$fence" "$file"; do fence+='`'; done
  printf '\n<details><summary>%s</summary>\n\n%s%s\n' "$title" "$fence" "$language"
  cut_to "$file" "$limit"
  printf '%s\n\n</details>\n' "$fence"
}

# Prints the number of lines of the outline with a sign.
count() { sed '1,2d' "$work/outline.diff" | { grep -c "^$1" || true; }; }

# Prints the report within a number of bytes. What the reader needs first has its share first.
report() {
  local limit=$1 head="$work/head.md"
  {
    echo "$marker"
    echo "### OpenAPI review of \`$document\`"
    printf '\n| check | result |\n|---|---|\n'
    printf '%s\n' "${rows[@]}"
  } >"$head"
  cat "$head"
  # The titles and fences of the sections, and the link.
  local left=$((limit - $(wc -c <"$head") - 2000))
  local changes outline
  changes=$(least "$work/diff.out" $((left * 6 / 10)))
  outline=$(least "$work/outline.diff" $(((left - changes) * 7 / 10)))
  if [[ -s $work/diff.out ]]; then
    echo
    cut_to "$work/diff.out" "$changes"
  fi
  folded "Outline: -$(count -) +$(count +) lines" "$work/outline.diff" "$outline" diff
  local each=$(((left - changes - outline) / 3))
  folded 'Messages of the comparison' "$work/diff.err" "$each" text
  # The table has the last line.
  if (($(wc -l <"$work/lint.txt") > 1)); then folded 'Lint' "$work/lint.txt" "$each" text; fi
  if (($(wc -l <"$work/fresh.txt") > 1)); then folded 'Generated files' "$work/fresh.txt" "$each" text; fi
  if [[ -n ${GITHUB_RUN_ID:-} ]]; then
    printf '\nThe [run](%s) has the whole report.\n' \
      "${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
  fi
}

# Prints the size of a file, or a limit if that is less.
least() {
  local size
  size=$(wc -c <"$1")
  echo $((size < $2 ? size : $2))
}

cat "$work"/lint.{err,out} >"$work/lint.txt"
cat "$work"/fresh.{err,out} >"$work/fresh.txt"
report "$comment_limit" >"$work/comment.md"
report "$summary_limit" >"$work/report.md"
if [[ -n ${REVIEW_REPORT:-} ]]; then
  cp "$work/report.md" "$REVIEW_REPORT"
fi
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then
  cat "$work/report.md" >>"$GITHUB_STEP_SUMMARY"
else
  cat "$work/report.md"
fi

# --- The comment ------------------------------------------------------------------------------------------------------

# Creates the comment, or updates that of an earlier run.
comment() {
  local comments="repos/$GITHUB_REPOSITORY/issues/$REVIEW_PULL_REQUEST/comments" id
  # Anybody can write the marker, so a stranger's comment with it is not ours.
  local ours='.user.type == "Bot" or (.author_association | IN("OWNER", "MEMBER", "COLLABORATOR"))'
  local -x GH_TOKEN=$token
  id=$(gh api --paginate "$comments?per_page=100" \
    --jq ".[] | select((.body | startswith(\"$marker\")) and ($ours)) | .id") || return
  id=${id%%$'\n'*}
  if [[ -n $id ]]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$work/comment.md"
  elif [[ $failed != 0 || -s $work/outline.diff || $(head -n 1 "$work/diff.out") != '**no changes for users**' ]]; then
    gh api --silent --method POST "$comments" --field "body=@$work/comment.md"
  fi
}

if [[ -n ${REVIEW_PULL_REQUEST:-} ]] && ! comment; then
  # A pull request from a fork has a token that can't write.
  echo "::warning title=OpenAPI review::no comment was written: the job needs the permission \`pull-requests: write\`"
fi
exit "$failed"
