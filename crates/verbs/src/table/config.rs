//! `ken config`.

use ken_core::weights::{Signals, Weights};
use ken_core::{Code, Refusal, admission, score};
use ken_engine::Result;
use ken_engine::intake::ADMISSION;
use ken_engine::ops::search::SCORING;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::config::SettingView;
use crate::request::Request;
use crate::verb::{Call, ForAdmins, Group, HttpPath, Nature, Verb, sorted};
use crate::{Reach, read_content};

/// Read and change settings.
pub struct Config;

/// What `config` takes.
#[derive(Clone, Debug, Request)]
pub struct ConfigRequest {
    /// Setting (default: list all)
    pub key: Option<String>,
    /// New value; weights such as semantic=0.5; or `default`
    pub value: Vec<String>,
}

/// What `config` answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ConfigAnswer {
    /// A setting as it stands.
    Value {
        /// Its dotted key.
        key: String,
        /// Its value.
        value: String,
    },
    /// A setting that was changed.
    Changed {
        /// Its dotted key.
        key: String,
        /// Its new value.
        value: String,
    },
    /// Every setting.
    All {
        /// In the order in which they are shown.
        #[serde(serialize_with = "sorted")]
        settings: Vec<SettingView>,
    },
    /// Weights, as they stand now.
    Weights(NamedWeights),
}

/// Weights with their name.
#[derive(Clone, Debug)]
pub struct NamedWeights {
    /// What they are called.
    pub name: &'static str,
    /// Each signal with its weight, in the order in which they are shown.
    pub weights: Vec<(&'static str, f64)>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NamedWeights {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NamedWeights".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let weights = serde_json::json!({"type": "object", "additionalProperties": {"type": "number"}});
        schemars::json_schema!({"type": "object", "additionalProperties": weights})
    }
}

impl Serialize for NamedWeights {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let weights: Map<String, Value> = self
            .weights
            .iter()
            .map(|(signal, weight)| ((*signal).to_owned(), Value::from(*weight)))
            .collect();
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.name, &weights)?;
        map.end()
    }
}

impl Verb for Config {
    const NAME: &'static str = "config";
    const ABOUT: &'static str = "Read and change settings";
    const EXAMPLE: &'static str = "ken config list.limit 100";
    const PATHS: &'static [HttpPath] = &[HttpPath::new("GET", "/config"), HttpPath::new("PATCH", "/config")];
    const FOR_ADMINS: ForAdmins = ForAdmins::ToWrite;
    const GROUP: Group = Group::KeepInOrder;
    const NATURE: Nature = Nature::WRITES;
    type Request = ConfigRequest;
    type Answer = ConfigAnswer;

    fn run(call: &mut Call, request: ConfigRequest) -> Result<ConfigAnswer> {
        let ken = call.reach()?;
        let value = (!request.value.is_empty()).then(|| request.value.join(" "));
        Ok(match (request.key, value) {
            (Some(key), value) if key == SCORING => {
                ConfigAnswer::Weights(weights::<score::Signal>(ken, SCORING, value.as_deref())?)
            }
            (Some(key), value) if key == ADMISSION => {
                ConfigAnswer::Weights(weights::<admission::Signal>(ken, ADMISSION, value.as_deref())?)
            }
            (Some(key), Some(value)) => {
                crate::config::set_setting(&ken.ledger, &mut ken.site.config, &ken.caller, &key, &value)?;
                if key.starts_with("embedder.") {
                    // Another model makes its own vectors; until they are there, words answer for what lacks one.
                    let Reach { ledger, site, models, .. } = call.reopen()?;
                    crate::embedding::embed_in_background(ledger, site, models);
                }
                ConfigAnswer::Changed { key, value }
            }
            (Some(key), None) => {
                let value = ken_guard::redact(&ken.site.config.get(&key)?).into_owned();
                ConfigAnswer::Value { key, value }
            }
            (None, _) => {
                let mut settings = ken.site.config.all();
                // The file may have been written by hand, or by somebody else.
                for setting in &mut settings {
                    setting.value = ken_guard::redact(&setting.value).into_owned();
                }
                ConfigAnswer::All { settings }
            }
        })
    }

    fn only_reads(request: &ConfigRequest) -> bool {
        request.value.is_empty()
    }
}

/// Weights are everybody's: changing them is an event, not a line of the settings file (OUT-2, IN-5).
fn weights<S: Signals>(ken: &mut Reach, name: &'static str, value: Option<&str>) -> Result<NamedWeights> {
    match value {
        None => {}
        Some("default") => {
            crate::recall::set_weights::<S>(&mut ken.ledger, &ken.site.config, &ken.caller, name, None)?
        }
        Some(text) => {
            let mut weights = crate::recall::weights::<S>(&ken.ledger, name)?.written();
            if text.trim_start().starts_with('{') {
                weights = read_content(text)?;
            } else {
                for pair in text.split([' ', ',']).filter(|pair| !pair.is_empty()) {
                    let number = pair
                        .split_once('=')
                        .and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
                    let Some((signal, number)) = number else {
                        let example = S::ALL[0].0.word();
                        let message =
                            format!("invalid weight {pair:?}; expected NAME=NUMBER, such as {example}=0.5");
                        return Err(Refusal::new(Code::Invalid, message).field(name).into());
                    };
                    weights.insert(signal.to_owned(), number.into());
                }
            }
            let weights = Weights::<S>::read(&Value::Object(weights)).map_err(|problem| {
                Refusal::new(Code::Invalid, problem)
                    .field(name)
                    .hint(format!("`ken config {name}` lists the weights"))
            })?;
            crate::recall::set_weights(&mut ken.ledger, &ken.site.config, &ken.caller, name, Some(&weights))?;
        }
    }
    Ok(NamedWeights { name, weights: crate::recall::weights::<S>(&ken.ledger, name)?.each().collect() })
}
