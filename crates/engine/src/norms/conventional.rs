//! Conventional commits: `type(scope)!: what was done`.

/// Whether a subject is one; the error says what is wrong with it.
pub(super) fn check(subject: &str, types: &[String], max_subject: Option<u32>) -> Result<(), String> {
    let Some((head, what)) = subject.split_once(':') else {
        return Err(format!("it has no type; write `type: what was done`, with one of {}", types.join(", ")));
    };
    let head = head.strip_suffix('!').unwrap_or(head);
    let (kind, scope) = match head.split_once('(') {
        Some((kind, rest)) => match rest.strip_suffix(')') {
            Some(scope) => (kind, Some(scope)),
            None => {
                return Err(format!(
                    "the scope after {kind:?} is not closed; write `type(scope): what was done`"
                ));
            }
        },
        None => (head, None),
    };
    if !types.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
        return Err(format!("unknown type {kind:?}; expected one of {}", types.join(", ")));
    }
    if scope.is_some_and(|scope| scope.trim().is_empty() || scope.contains(['(', ')'])) {
        return Err("its scope is empty or contains brackets; write `type(scope): what was done`".to_owned());
    }
    if what.trim().is_empty() {
        return Err("the description after the colon is missing".to_owned());
    }
    if !what.starts_with(' ') {
        return Err("a space is missing after the colon".to_owned());
    }
    let length = subject.chars().count();
    match max_subject {
        Some(max) if length > max as usize => {
            Err(format!("its subject has {length} characters; at most {max} are allowed"))
        }
        Some(_) | None => Ok(()),
    }
}
