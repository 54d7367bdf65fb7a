//! Blocks: lines with indented lines below them.

/// A line, and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    head: String,
    below: Vec<Block>,
}

impl Block {
    /// Creates a line with nothing below it.
    pub fn line(head: impl Into<String>) -> Self {
        Self { head: head.into(), below: Vec::new() }
    }

    /// Creates a line with these blocks below it.
    pub fn over(head: impl Into<String>, below: Vec<Self>) -> Self {
        Self { head: head.into(), below }
    }

    /// Returns the first line.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Appends a text to the first line, after a space. An empty text changes nothing.
    pub fn then(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.head = format!("{} {text}", self.head);
        }
        self
    }

    /// Prepends a text to the first line.
    pub fn after(mut self, text: &str) -> Self {
        self.head.insert_str(0, text);
        self
    }

    /// Adds blocks below the first line.
    pub fn add(&mut self, below: impl IntoIterator<Item = Self>) {
        self.below.extend(below);
    }

    /// Returns the first two words of the first line, which name the declaration.
    pub fn name(&self) -> Vec<&str> {
        self.head.split([' ', '<', ':', '(']).take(2).collect()
    }

    /// Removes a prefix of names from every line.
    pub fn without(self, prefix: &str) -> Self {
        if prefix.is_empty() {
            return self;
        }
        let below = self.below.into_iter().map(|block| block.without(prefix)).collect();
        Self { head: self.head.replace(prefix, ""), below }
    }

    /// Returns whether the block is one line.
    pub fn is_line(&self) -> bool {
        self.below.is_empty()
    }

    /// Returns the text, indented by four spaces per level.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(0, &mut text);
        text
    }

    fn write(&self, depth: usize, text: &mut String) {
        text.push_str(&"    ".repeat(depth));
        text.push_str(&self.head);
        text.push('\n');
        for block in &self.below {
            block.write(depth + 1, text);
        }
    }
}
