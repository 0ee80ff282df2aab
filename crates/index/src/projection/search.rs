//! Which entries answer a question.

use std::collections::{HashMap, HashSet};

use ken_core::EntryKey;
use ken_engine::conditions::may_answer;
use ken_engine::{Asked, Checkout, Hit, ModelCard, Overlaid, Query, Relevant, Result, Search, Stored};
use ken_recall::rank::{ANSWER_SHARE_MIN, Embed};
use ken_recall::vectors::Vectors;
use ken_recall::{Among, Calibration, Mode, Question, TextMatch, Wish, rank, worded_like};

use super::{Base, Projected, narrowed};
use crate::error::index_error;
use crate::limits::{LOOKED_AT_MIN, LOOKED_AT_PER_WANTED, PROVEN_MIN, PROVEN_SPARE, TOLD_MAX};
use crate::{Author, Index};

impl<B: Base> Search for Projected<B> {
    fn relevant(&self, asked: &Asked<'_>) -> Result<Relevant> {
        let mut answer = self.ask(asked)?;
        self.note_unsound(&answer)?;
        let damaged = match (self.taken_out.take(), self.vectors()) {
            (0, Some((_, vectors))) if vectors.has_met_damage() => {
                Some("some embeddings are damaged; `ken rebuild --embeddings` recomputes them".to_owned())
            }
            (0, _) => None,
            (count, _) => Some(format!("{count} embeddings are damaged")),
        };
        answer.fallback = answer.fallback.or(damaged);
        Ok(answer)
    }

    fn worded_like(
        &self,
        questions: &[Question],
        among: &Query,
        wanted: usize,
    ) -> Result<Vec<Vec<EntryKey>>> {
        self.by_words(questions, among, wanted)
    }

    fn alike(&self, pairs: &[(EntryKey, EntryKey)]) -> Result<Vec<Option<f64>>> {
        self.cosines(pairs)
    }

    fn backlog(&self) -> Result<usize> {
        self.query(Index::unembedded_count)
    }
}

impl<B: Base> Projected<B> {
    fn ask(&self, asked: &Asked<'_>) -> Result<Relevant> {
        let among = narrowed(self.overlays(), asked.among);
        let asked = &Asked { among: &among, ..*asked };
        let pinned = self.docs_laid_over(Overlaid::Pinned)?;
        let vectors = self.vectors().map(|(_, vectors)| vectors);
        let shelf = self.index().shelf(vectors).map_err(index_error)?;
        let mut relevant = Relevant::default();
        let wants_meaning = asked.mode != Mode::Lexical;
        if let (true, Some(embedder)) = (wants_meaning, asked.embedder) {
            relevant.fallback = self.no_meaning(embedder.card())?;
        }
        let usable = asked.embedder.filter(|_| wants_meaning && relevant.fallback.is_none());
        let mut problem = None;
        let mut taken: Option<(String, Option<Vec<f32>>)> = None;
        let mut take = |text: &str| {
            if let Some((_, meaning)) = taken.as_ref().filter(|(known, _)| known == text) {
                return meaning.clone();
            }
            let meaning = match usable?.embed(&[text]) {
                Ok(mut vectors) => vectors.pop(),
                Err(error) => {
                    problem = Some(error.to_string());
                    None
                }
            };
            taken = Some((text.to_owned(), meaning.clone()));
            meaning
        };
        let looked_at = (asked.wanted * LOOKED_AT_PER_WANTED).max(LOOKED_AT_MIN);
        let has_text = !asked.question.text.trim().is_empty();
        let mut allowed = if is_plain(asked.among) && has_text {
            None
        } else {
            Some(self.index().docs_of(asked.among).map_err(index_error)?)
        };
        let by_standing =
            asked.by_standing && has_text && self.index().has_verified().map_err(index_error)?;
        if has_text {
            // Who may not answer must not decide how well the others do: without those ahead of them, once more.
            let mut denied = match asked.among.overlaid {
                Overlaid::Visible => self.docs_laid_over(Overlaid::Hidden)?,
                Overlaid::Hidden | Overlaid::Pinned | Overlaid::Any => HashSet::new(),
            };
            for pass in 0..2 {
                let among = match &mut allowed {
                    Some(allowed) => {
                        allowed.retain(|doc| !denied.contains(doc));
                        Among::Only(allowed)
                    }
                    None => Among::AllBut(&denied),
                };
                let wish = Wish {
                    question: asked.question,
                    mode: asked.mode,
                    wanted: looked_at,
                    among,
                    reserved: None,
                    calibration: usable.map_or(Calibration::UNKNOWN, |embedder| embedder.card().calibration),
                };
                let embed: Option<Embed<'_>> = if usable.is_some() { Some(&mut take) } else { None };
                relevant.ranked = rank(&shelf, &wish, embed).map_err(index_error)?;
                if by_standing {
                    let mut is_proven = self.is_proven(&relevant.ranked.found, asked.wanted)?;
                    let proven = is_proven.values().filter(|is_proven| **is_proven).count();
                    if proven < asked.wanted.min(PROVEN_MIN) && relevant.ranked.found.len() >= looked_at {
                        // So many of others fill the places that those who answer as well were not looked at.
                        let reserved = self.index().proven_docs().map_err(index_error)?;
                        let wish = Wish { reserved: Some(&reserved), ..wish };
                        let embed: Option<Embed<'_>> = if usable.is_some() { Some(&mut take) } else { None };
                        relevant.ranked = rank(&shelf, &wish, embed).map_err(index_error)?;
                        let found = relevant.ranked.found.iter();
                        is_proven = found.map(|found| (found.doc, reserved.contains(&found.doc))).collect();
                    }
                    relevant.ranked.hold_back(&is_proven);
                }
                relevant.hits.clear();
                let (ahead, told) = self.judge(asked, &pinned, &mut relevant)?;
                if ahead.is_empty() || pass > 0 {
                    break;
                }
                relevant.left_out.truncate(told);
                denied.extend(ahead);
            }
        } else {
            relevant.ranked.found = allowed.iter().flatten().map(|doc| TextMatch::certain(*doc)).collect();
            relevant.ranked.found.sort_by_key(|found| std::cmp::Reverse(found.doc));
            self.judge(asked, &pinned, &mut relevant)?;
        }
        if let Some(problem) = problem {
            relevant.fallback = Some(problem);
        }
        if asked.debug {
            self.tell_hidden(asked, &mut relevant)?;
        }
        Ok(relevant)
    }

    /// Which of the best texts are verified or stated by an author whose record speaks for it: as many as are needed to choose from.
    fn is_proven(&self, found: &[TextMatch], wanted: usize) -> Result<HashMap<u32, bool>> {
        let mut authors: HashMap<Author, bool> = HashMap::new();
        let (mut is_proven, mut proven) = (HashMap::new(), 0);
        for found in found {
            let Some(statement) = self.index().statement_of(found.doc).map_err(index_error)? else {
                continue;
            };
            let counts = statement.is_verified
                || match authors.get(&statement.author) {
                    Some(is_established) => *is_established,
                    None => {
                        let record = self.index().author_record(&statement.author).map_err(index_error)?;
                        authors.insert(statement.author, record.is_established());
                        record.is_established()
                    }
                };
            is_proven.insert(found.doc, counts);
            proven += usize::from(counts);
            if proven >= wanted + PROVEN_SPARE {
                break;
            }
        }
        Ok(is_proven)
    }

    /// Of those worded like each question the first that may answer.
    fn by_words(&self, questions: &[Question], among: &Query, wanted: usize) -> Result<Vec<Vec<EntryKey>>> {
        let among = &*narrowed(self.overlays(), among);
        let hidden = match among.overlaid {
            Overlaid::Visible => self.docs_laid_over(Overlaid::Hidden)?,
            Overlaid::Hidden | Overlaid::Pinned | Overlaid::Any => HashSet::new(),
        };
        let shelf = self.index().shelf(None).map_err(index_error)?;
        let looked_at = wanted * LOOKED_AT_PER_WANTED;
        let found = worded_like(&shelf, questions, Among::AllBut(&hidden), looked_at).map_err(index_error)?;
        let nothing = Question::plain("");
        let asked = Asked {
            question: &nothing,
            among,
            mode: Mode::Lexical,
            wanted,
            thread: among.threads.seen_from(),
            embedder: None,
            by_standing: false,
            debug: false,
            unasked_in: None,
        };
        let mut known: HashMap<u32, Option<EntryKey>> = HashMap::new();
        let mut all = Vec::with_capacity(found.len());
        for docs in found {
            let mut keys = Vec::with_capacity(wanted);
            for doc in docs {
                let key = match known.get(&doc) {
                    Some(key) => *key,
                    None => {
                        let stored =
                            self.index().stored_by_doc(doc, among.subset.is_some()).map_err(index_error)?;
                        let stored = stored.map(|stored| {
                            let overlay = self.laid_over(stored.entry.key);
                            Stored { overlay, ..stored }
                        });
                        let answers = stored.filter(|stored| may_answer(&asked, stored).is_ok());
                        let key = answers.map(|stored| stored.entry.key);
                        known.insert(doc, key);
                        key
                    }
                };
                keys.extend(key);
                if keys.len() == wanted {
                    break;
                }
            }
            all.push(keys);
        }
        Ok(all)
    }

    /// Says of what this clone does not want to see that it was not asked.
    fn tell_hidden(&self, asked: &Asked<'_>, relevant: &mut Relevant) -> Result<()> {
        for doc in self.docs_laid_over(Overlaid::Hidden)? {
            let stored =
                self.index().stored_by_doc(doc, asked.among.subset.is_some()).map_err(index_error)?;
            let Some(stored) = stored else { continue };
            let overlay = self.laid_over(stored.entry.key);
            if !asked.among.overlaid.admits(&overlay) && relevant.left_out.len() < TOLD_MAX {
                relevant.left_out.push((stored.id, overlay.told().into_iter().next().unwrap_or_default()));
            }
        }
        Ok(())
    }

    /// The numbers of what this clone laid something over.
    fn docs_laid_over(&self, which: Overlaid) -> Result<HashSet<u32>> {
        let keys = self.overlays().map(|overlays| overlays.keys(which)).unwrap_or_default();
        if keys.is_empty() {
            return Ok(HashSet::new());
        }
        self.index().docs_of(&Query { all: true, only: Some(keys), ..Query::default() }).map_err(index_error)
    }

    /// Takes those that may answer from what was found, as many as are wanted, and gives those that stood before the first of
    /// them and may not, with how many of these were told of. What is pinned and answers is among them, however many answer better.
    fn judge(
        &self,
        asked: &Asked<'_>,
        pinned: &HashSet<u32>,
        relevant: &mut Relevant,
    ) -> Result<(HashSet<u32>, usize)> {
        let (mut ahead, mut told) = (HashSet::new(), relevant.left_out.len());
        for found in relevant.ranked.found.clone() {
            // Numbers are a matter of chance: those that answer as well as the last one are looked at, too.
            let equals = |hit: &Hit| found.similarity < 1.0 && hit.found.similarity == found.similarity;
            let best = relevant.hits.first().map_or(0.0, |hit| hit.found.similarity);
            let lifted = pinned.contains(&found.doc) && found.similarity >= ANSWER_SHARE_MIN * best;
            let full = relevant.hits.len() >= asked.wanted && !relevant.hits.last().is_some_and(equals);
            let full = full && !lifted;
            if full && (!asked.debug || relevant.left_out.len() >= TOLD_MAX) {
                if pinned.is_empty() {
                    break;
                }
                continue;
            }
            let stored =
                self.index().stored_by_doc(found.doc, asked.among.subset.is_some()).map_err(index_error)?;
            let stored = stored.map(|stored| {
                let overlay = self.laid_over(stored.entry.key);
                Stored { overlay, ..stored }
            });
            let answers = stored.map(|stored| (may_answer(asked, &stored), stored));
            let why = match answers {
                Some((Ok(()), stored)) if full => {
                    let why =
                        format!("similarity {:.3}, beyond the limit of {}", found.similarity, asked.wanted);
                    Some((stored.id, why))
                }
                Some((Ok(()), stored)) => {
                    let file = self.file_of(stored.entry.key).map_err(index_error)?;
                    let checkout = stored.checkout.map(|checkout| Checkout { file, ..checkout });
                    relevant.hits.push(Hit { stored: Stored { checkout, ..stored }, found });
                    continue;
                }
                Some((Err(why), stored)) => Some((stored.id, why)),
                None => None,
            };
            relevant.left_out.extend(why.filter(|_| asked.debug));
            if relevant.hits.is_empty() {
                ahead.insert(found.doc);
                told = relevant.left_out.len();
            }
        }
        let by_relevance = |a: &Hit, b: &Hit| {
            let best_first = b.found.similarity.total_cmp(&a.found.similarity);
            let id =
                |hit: &Hit| if hit.found.similarity < 1.0 { hit.stored.id.clone() } else { String::new() };
            best_first.then_with(|| id(a).cmp(&id(b)))
        };
        let unpinned = |hit: &Hit| hit.stored.overlay.pinned.is_none();
        relevant.hits.sort_by(|a, b| unpinned(a).cmp(&unpinned(b)).then_with(|| by_relevance(a, b)));
        relevant.hits.truncate(asked.wanted);
        relevant.hits.sort_by(by_relevance);
        Ok((ahead, told))
    }

    /// Why meaning cannot answer.
    fn no_meaning(&self, card: &ModelCard) -> Result<Option<String>> {
        let Some((model, vectors)) = self.vectors() else {
            return Ok(Some("the embeddings could not be opened".to_owned()));
        };
        if *model != card.name {
            return Ok(Some(format!("the embeddings are by {model}, not by {}", card.name)));
        }
        if !vectors.is_empty() {
            return Ok(None);
        }
        let waiting = self.index().unembedded_count().map_err(index_error)?;
        let why =
            || format!("none of {waiting} entries has an embedding yet; run `ken rebuild --embeddings`");
        Ok((waiting > 0).then(why))
    }
}

impl<B: Base> Projected<B> {
    /// Remembers whether vectors that were compared are not as they were written: one of them may have displaced an answer, or put one in
    /// its place.
    fn note_unsound(&self, answer: &Relevant) -> Result<()> {
        let Some((_, vectors)) = self.vectors() else { return Ok(()) };
        for hit in answer.hits.iter().filter(|hit| hit.found.cosine.is_some()) {
            let slot = self.query(|index| index.slot_of(hit.stored.entry.key))?;
            if slot.is_some_and(|slot| !vectors.is_sound(slot)) {
                vectors.note_damage();
            }
        }
        Ok(())
    }
}

/// A query that leaves out nothing but what is never handed out: looking at the best ones is faster than finding all.
fn is_plain(query: &Query) -> bool {
    // What is handed out, and more: the best are likely to be among them.
    let any_status = query.statuses.is_empty()
        || ken_core::Status::ALL
            .iter()
            .filter(|status| status.is_retrieved())
            .all(|status| query.statuses.contains(status));
    query.types.is_empty()
        && query.subtypes.is_empty()
        && any_status
        && query.domain.is_none()
        && query.tags.is_empty()
        && query.scope.is_none()
        && query.reviewer.is_none()
        && query.since.is_none()
        && query.actor.is_none()
        && !query.memories.is_empty()
        && !query.memories.contains(&ken_core::Memory::Episodic)
}
