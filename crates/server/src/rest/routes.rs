//! Which path and method a verb has: those that it names itself, else the path that its words make.

use axum::http::Method;
use kenning::verb::{Doors, Effect, Field, HttpPath, Row};

/// One path of a verb.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// Its segments behind `/api/v1`; `{id}` is a parameter.
    pub(crate) path: String,
    pub(crate) row: &'static Row,
    /// Fields that the path settles.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
}

/// Every path of every verb that is offered here.
pub(crate) fn routes() -> Vec<Route> {
    let mut routes = Vec::new();
    for row in kenning::table::TABLE.iter().filter(|row| row.nature.doors != Doors::Terminal) {
        for HttpPath { method, path, fixed } in row.paths {
            let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
            routes.push(Route { method, path: (*path).to_owned(), row, fixed });
        }
        if row.paths.is_empty() {
            routes.push(derived(row));
        }
    }
    routes
}

/// The path that the words of a verb make, those that it had first: a path stays what it was. A verb about one entry stands behind that
/// entry.
fn derived(row: &'static Row) -> Route {
    let words = row.former.first().unwrap_or(&row.name).replace(' ', "/");
    let is_about_one =
        row.fields().iter().any(|field| field.is_place() && matches!(field.name, "id" | "old"));
    let path = if is_about_one { format!("/entries/{{id}}/{words}") } else { format!("/{words}") };
    let method = if row.nature.effect == Effect::Reads { Method::GET } else { Method::POST };
    Route { method, path, row, fixed: &[] }
}

impl Route {
    /// The name and value of each parameter, where the path is one of this route.
    pub(crate) fn parameters<'a>(&'a self, path: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
        let mut found = Vec::new();
        let (mut wanted, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return Some(found),
                (Some(wanted), Some(given)) => match parameter(wanted) {
                    Some(name) if !given.is_empty() => found.push((name, given)),
                    None if wanted == given => {}
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// The names of the parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.path.split('/').filter_map(parameter)
    }

    /// The field of the verb that a parameter fills: what the command line names without a flag, be it one of a list, else the field of
    /// that name. An entry that a verb is about may be called otherwise there, and `id` be the id of a new one.
    pub(crate) fn field<'f>(&self, name: &str, fields: &'f [Field]) -> Option<&'f Field> {
        let is =
            |field: &Field| field.name == name || (field.many && field.name.strip_suffix('s') == Some(name));
        let places = || fields.iter().filter(|field| field.is_place());
        let entry = || places().next().filter(|_| name == "id");
        places().find(|field| is(field)).or_else(entry).or_else(|| fields.iter().find(|field| is(field)))
    }

    /// Whether a field can be given beside the path.
    pub(crate) fn is_free(&self, field: &Field, fields: &[Field]) -> bool {
        let by_path =
            self.names().any(|name| self.field(name, fields).is_some_and(|known| known.name == field.name));
        !by_path && !self.fixed.iter().any(|(name, _)| *name == field.name)
    }
}

fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_path_of_its_own_and_every_parameter_is_a_field() {
        let routes = routes();
        for row in kenning::table::TABLE.iter().filter(|row| row.nature.doors != Doors::Terminal) {
            assert!(routes.iter().any(|route| route.row.name == row.name), "{}", row.name);
        }
        let mut places: Vec<(&str, &str)> =
            routes.iter().map(|route| (route.method.as_str(), route.path.as_str())).collect();
        places.sort_unstable();
        for pair in places.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        for route in &routes {
            let fields = route.row.fields();
            for name in route.names() {
                assert!(route.field(name, &fields).is_some(), "{} has no {name}", route.path);
            }
            for (name, _) in route.fixed {
                assert!(fields.iter().any(|field| field.name == *name), "{} has no {name}", route.path);
            }
        }
    }

    #[test]
    fn a_path_is_compared_segment_by_segment() {
        let routes = routes();
        let found = |method: Method, path: &str| {
            let route =
                routes.iter().find(|route| route.method == method && route.parameters(path).is_some());
            route.map(|route| route.row.name)
        };
        assert_eq!(found(Method::GET, "/entries"), Some("list"));
        assert_eq!(found(Method::GET, "/entries/L-1a2b3c"), Some("show"));
        assert_eq!(found(Method::GET, "/entries/"), None);
        assert_eq!(found(Method::GET, "/entries/L-1a2b3c/why"), Some("why"));
        assert_eq!(found(Method::POST, "/entries/L-1a2b3c/confirm"), Some("confirm"));
        assert_eq!(found(Method::POST, "/staging/accept"), Some("digest accept"));
        assert_eq!(found(Method::GET, "/entries/L-1a2b3c/why/"), None);
        let filled = |verb: &str| {
            let route =
                routes.iter().find(|route| route.row.name == verb && route.path.contains("{id}")).unwrap();
            route.field("id", &route.row.fields()).unwrap().name
        };
        for (verb, field) in
            [("show", "ids"), ("edit", "entry"), ("supersede", "old"), ("confirm", "id"), ("tag", "id")]
        {
            assert_eq!(filled(verb), field, "{verb}");
        }
    }
}
