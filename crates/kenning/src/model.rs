//! Which model takes the meaning of texts, and what to say when none does.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ken_embed::Model;
use ken_engine::{Calibration, Embedder, Judge, ModelCard, Result, RuleOfThumb, Tokens};
use ken_verbs::{Config, Models, Options};

/// The model in use, found out when it is first needed.
pub(crate) struct Choice {
    options: Options,
    settings: Settings,
    found: OnceLock<std::result::Result<Arc<dyn Embedder>, String>>,
    tokenizer: OnceLock<Option<Model>>,
}

/// What the settings of a store say about models.
struct Settings {
    kind: String,
    url: String,
    model: String,
    weights: String,
    /// `judge.kind`, `judge.url` and `judge.model`.
    judge: [String; 3],
    /// The folder that paths in the settings are relative to.
    root: PathBuf,
}

impl Choice {
    pub(crate) fn new(options: &Options, config: &Config, root: &Path) -> Choice {
        let word = |key: &'static str| config.get(key).unwrap_or_default();
        let settings = Settings {
            kind: word("embedder.kind"),
            url: word("embedder.url"),
            model: word("embedder.model"),
            weights: word("embedder.weights"),
            judge: ["judge.kind", "judge.url", "judge.model"].map(word),
            root: root.to_owned(),
        };
        Choice { options: options.clone(), settings, found: OnceLock::new(), tokenizer: OnceLock::new() }
    }

    fn choose(
        &self,
        known: &dyn Fn(&str) -> Option<usize>,
    ) -> std::result::Result<Arc<dyn Embedder>, String> {
        let Choice { options, settings, .. } = self;
        if options.no_model {
            return Err("embeddings are disabled (--no-model)".to_owned());
        }
        match settings.kind.as_str() {
            "openai" | "ollama" if options.offline => Err("embedding servers are disabled here".to_owned()),
            "none" => Err("the setting embedder.kind is none".to_owned()),
            #[cfg(feature = "http")]
            kind @ ("openai" | "ollama") => {
                crate::server::open(kind, &settings.url, &settings.model, options, known)
            }
            #[cfg(not(feature = "http"))]
            "openai" | "ollama" => {
                let _ = (known, &settings.url, &settings.model);
                Err("this ken was built without HTTP embedders".to_owned())
            }
            _ => bundled(&settings.weights, &settings.root),
        }
    }
}

impl Models for Choice {
    fn embedder(
        &self,
        known: &dyn Fn(&str) -> Option<usize>,
    ) -> std::result::Result<Arc<dyn Embedder>, String> {
        let remembering =
            |embedder| Arc::new(Remembering { embedder, latest: Mutex::default() }) as Arc<dyn Embedder>;
        self.found.get_or_init(|| self.choose(known).map(remembering)).clone()
    }

    fn judge(&self) -> std::result::Result<Arc<dyn Judge>, String> {
        if self.options.offline {
            return Err("no judge is asked here".to_owned());
        }
        let [kind, url, model] = &self.settings.judge;
        #[cfg(feature = "http")]
        return crate::server::open_judge(kind, url, model, &self.options);
        #[cfg(not(feature = "http"))]
        {
            let _ = (kind, url, model);
            Err("this ken was built without judges".to_owned())
        }
    }

    /// The tokenizer of the bundled model, which needs no loading, else a rule of thumb.
    fn tokens(&self) -> Box<dyn Tokens + '_> {
        let no_model = self.options.no_model;
        let model = self.tokenizer.get_or_init(|| if no_model { None } else { Model::bundled() });
        match model {
            Some(model) => Box::new(WordPiece(model)),
            None => Box::new(RuleOfThumb),
        }
    }
}

fn bundled(weights: &str, root: &Path) -> std::result::Result<Arc<dyn Embedder>, String> {
    let model = if weights.is_empty() {
        Model::bundled().ok_or("this ken was built without an embedding model")?
    } else {
        // The file is named as the settings name it.
        let as_set = |text: String| text.replace(&format!("{}/", root.display()), "");
        Model::open(&root.join(weights)).map_err(|error| as_set(error.to_string()))?
    };
    let name = format!("{}-{}", model.name(), &model.digest()[..8]);
    let card = ModelCard { name, dimensions: ken_embed::DIMENSIONS, calibration: Calibration::MINILM };
    Ok(Arc::new(Bundled { model, card }))
}

/// Meanings that are remembered: more than are made in one go.
const REMEMBERED_MAX: usize = 64;

/// Knows the meanings it took last: a write asks for each twice, to see whether that was said before, and to keep it.
struct Remembering {
    embedder: Arc<dyn Embedder>,
    latest: Mutex<VecDeque<(String, Vec<f32>)>>,
}

impl Embedder for Remembering {
    fn card(&self) -> &ModelCard {
        self.embedder.card()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut vectors: Vec<Option<Vec<f32>>> = {
            let latest = self.latest();
            let known = |text: &&str| latest.iter().find(|(known, _)| known == text);
            texts.iter().map(|text| known(text).map(|(_, vector)| vector.clone())).collect()
        };
        let missing: Vec<&str> =
            texts.iter().zip(&vectors).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
        if !missing.is_empty() {
            let made = self.embedder.embed(&missing)?;
            let mut latest = self.latest();
            latest
                .extend(missing.iter().zip(&made).map(|(text, vector)| ((*text).to_owned(), vector.clone())));
            let beyond = latest.len().saturating_sub(REMEMBERED_MAX);
            latest.drain(..beyond);
            vectors
                .iter_mut()
                .filter(|vector| vector.is_none())
                .zip(made)
                .for_each(|(vector, made)| *vector = Some(made));
        }
        Ok(vectors.into_iter().flatten().collect())
    }
}

impl Remembering {
    fn latest(&self) -> MutexGuard<'_, VecDeque<(String, Vec<f32>)>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The model that is part of the binary.
struct Bundled {
    model: Model,
    card: ModelCard,
}

impl Embedder for Bundled {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        Ok(self.model.embed_all(texts).into_iter().map(|vector| vector.to_vec()).collect())
    }
}

/// Counts with the tokenizer of the bundled model.
struct WordPiece<'a>(&'a Model);

impl Tokens for WordPiece<'_> {
    fn count(&self, text: &str) -> usize {
        self.0.token_count(text)
    }

    fn counted_by(&self) -> &str {
        "WordPiece, the tokenizer of the BERT family (bert-base-uncased)"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the texts that it is asked for.
    struct Counting(ModelCard, Mutex<usize>);

    impl Embedder for Counting {
        fn card(&self) -> &ModelCard {
            &self.0
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            *self.1.lock().unwrap() += texts.len();
            Ok(texts.iter().map(|text| vec![text.parse().unwrap()]).collect())
        }
    }

    #[test]
    fn what_was_asked_lately_is_not_asked_again() {
        let card = ModelCard { name: "counting".into(), dimensions: 1, calibration: Calibration::MINILM };
        let counting = Arc::new(Counting(card, Mutex::default()));
        let model = Remembering { embedder: counting.clone(), latest: Mutex::default() };
        let numbers: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let texts: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let asked = |texts: &[&str]| {
            let before = *counting.1.lock().unwrap();
            let vectors = model.embed(texts).unwrap();
            let wanted: Vec<Vec<f32>> = texts.iter().map(|text| vec![text.parse().unwrap()]).collect();
            assert_eq!(vectors, wanted, "each text has its own");
            *counting.1.lock().unwrap() - before
        };
        assert_eq!(asked(&texts[..32]), 32);
        assert_eq!(asked(&texts[7..8]) + asked(&texts[..32]), 0, "a batch, and one of it");
        assert_eq!(asked(&texts[30..34]), 2, "what is missing among what is known");
        assert_eq!(asked(&[]), 0);
        assert_eq!(asked(&texts), 66, "more than are remembered");
        assert_eq!((asked(&texts[36..]), asked(&texts[..1])), (0, 1), "the latest are kept");
    }
}
