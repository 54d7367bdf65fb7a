#!/usr/bin/env bash
# `gh api` for tests: comments are files <id>.<type>.<association>, and each call is a line of `calls`.
set -eu
cd "$GH_FOLDER"
if [ -e broken ]; then
  echo 'gh: Resource not accessible by integration (HTTP 403)' >&2
  exit 1
fi
method=GET
while [ $# -gt 0 ]; do
  case $1 in
    --method) method=$2; shift ;;
    --field) body=${2#body=@}; shift ;;
    --jq) filter=$2; shift ;;
    repos/*) url=$1 ;;
  esac
  shift
done
echo "$method $url" >>calls
case $method in
  POST) cp "$body" "$((100 + $(ls | wc -l))).Bot.NONE" ;;
  PATCH) cp "$body" "${url##*/}.Bot.NONE" ;;
  GET)
    for file in *.*.*; do
      [ -e "$file" ] || continue
      IFS=. read -r id type association <<<"$file"
      if command -v jq >/dev/null; then
        jq --null-input --rawfile body "$file" \
          "[{id: $id, body: \$body, user: {type: \"$type\"}, author_association: \"$association\"}]" |
          jq --raw-output "$filter"
      elif [ "$type" = Bot ] && [ "$(head -n 1 "$file")" = '<!-- openapi-review: api/pets.yaml -->' ]; then
        echo "$id"
      fi
    done
    ;;
esac
