//! Texts in quotes, where either quote will do.

/// The content of a text, as it would be if no quote had to be escaped, and with codes in small letters.
pub(super) fn unescaped(content: &str) -> String {
    let mut said = String::with_capacity(content.len());
    let mut rest = content.chars();
    while let Some(c) = rest.next() {
        match (c, rest.clone().next()) {
            ('\\', Some(next)) => {
                rest.next();
                if !matches!(next, '"' | '\'') {
                    said.push('\\');
                }
                said.push(next);
                let digits = match next {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                let code = rest.clone().take(digits).take_while(char::is_ascii_hexdigit).count();
                said.extend(rest.by_ref().take(code).map(|digit| digit.to_ascii_lowercase()));
            }
            _ => said.push(c),
        }
    }
    said
}

/// What is between the quotes, which are this long.
pub(super) fn content(quoted: &str, quote_length: usize) -> &str {
    quoted.get(quote_length..quoted.len().saturating_sub(quote_length)).unwrap_or_default()
}
