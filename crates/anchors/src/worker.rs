//! Reading in a process of its own: a parser that aborts or hangs costs one file, not the whole check.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::Language;
use crate::limits::{IDLE_PARSERS_MAX, PREFETCHED_MAX, READY_TOKENS_MAX};
use crate::outline::{self, Limits, Outline, Symbol, Token, Unread};

/// Someone who reads texts by their grammar.
pub trait Reader {
    /// The outline of a text. Whatever the text is, the reader can be asked again.
    fn read(&mut self, language: Language, text: &str) -> Result<Outline, Unread>;

    /// Says that a text will be read soon. A worker process begins to parse it.
    fn prefetch(&mut self, language: Language, text: &str) {
        let _ = (language, text);
    }
}

/// Reads in this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcess {
    /// How much is spent on one text.
    pub limits: Limits,
}

impl Reader for InProcess {
    fn read(&mut self, language: Language, text: &str) -> Result<Outline, Unread> {
        outline::read(language, text, &self.limits)
    }
}

/// How often one that stopped is replaced. More than that is no bad luck with a file: something else is wrong.
pub const RESTARTS_MAX: u32 = 20;

/// How much longer than its own limit a worker may take: it has to be started, and sent the text.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long one that closed its output is given to end by itself, so that it can be said how.
const ENDING: Duration = Duration::from_millis(200);

/// The largest message. The outline of the largest text that is read has fewer bytes.
const MESSAGE_BYTES_MAX: u32 = 256 << 20;

/// Reads in another process, which runs [`serve`], and replaces it when it stops.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    args: Vec<String>,
    limits: Limits,
    running: Option<Running>,
    restarts: u32,
    /// Texts that were sent and not answered yet, in their order, as hashes.
    pending: VecDeque<u64>,
    /// Answers to texts that nobody has read yet.
    ready: HashMap<u64, Result<Outline, Unread>>,
    hashes: RandomState,
}

#[derive(Debug)]
struct Running {
    child: Child,
    requests: Sender<Vec<u8>>,
    answers: Receiver<io::Result<Vec<u8>>>,
}

impl Worker {
    /// Starts a program that runs [`serve`] between its input and its output.
    pub fn start(program: &Path, args: &[&str]) -> io::Result<Self> {
        Self::start_with(program, args, Limits::default())
    }

    /// The same, with other limits for each text.
    pub fn start_with(program: &Path, args: &[&str], limits: Limits) -> io::Result<Self> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let running = Some(Running::start(program, &args)?);
        Ok(Self {
            program: program.to_owned(),
            args,
            limits,
            running,
            restarts: 0,
            pending: VecDeque::new(),
            ready: HashMap::new(),
            hashes: RandomState::new(),
        })
    }

    /// Whether its process lives.
    fn is_running(&mut self) -> bool {
        self.running.as_mut().is_some_and(|running| matches!(running.child.try_wait(), Ok(None)))
    }

    /// One that runs: this one, or a new one in its place.
    fn running(&mut self) -> Result<&mut Running, Unread> {
        if self.running.is_none() {
            if self.restarts == RESTARTS_MAX {
                return Err(Unread::Crashed(format!(
                    "the parser stopped {RESTARTS_MAX} times, and is not started again"
                )));
            }
            self.restarts += 1;
            let started = Running::start(&self.program, &self.args)
                .map_err(|error| Unread::Crashed(format!("the parser could not be started: {error}")))?;
            self.running = Some(started);
        }
        Ok(self.running.as_mut().expect("it was just started"))
    }

    fn send(&mut self, language: Language, text: &str, hash: u64) -> Result<(), Unread> {
        let request = message::request(language, text, &self.limits);
        // One that is gone cannot be sent anything; that shows in the answer.
        let _ = self.running()?.requests.send(request);
        self.pending.push_back(hash);
        Ok(())
    }

    /// The next answer. Where the process stops instead, that is the answer, and what else it was sent is pending no longer.
    fn receive(&mut self) -> Result<Outline, Unread> {
        let patience = self.limits.time.saturating_add(PATIENCE);
        let running = self.running()?;
        let why = match running.answers.recv_timeout(patience) {
            Ok(Ok(bytes)) => match message::read_answer(&bytes) {
                Some(answer) => return answer,
                None => Unread::Crashed("the parser answered nonsense".to_owned()),
            },
            Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                Unread::Crashed(format!("the parser answered nonsense: {error}"))
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                Unread::Crashed(format!("the parser stopped: {}", running.how_it_ended()))
            }
            Err(RecvTimeoutError::Timeout) => Unread::TooSlow,
        };
        self.running = None;
        self.pending.clear();
        Err(why)
    }
}

/// Workers that run and have nothing to do: starting one takes longer than reading most files.
static IDLE: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

/// A worker for as long as it is needed; who comes next in this process gets the same.
#[derive(Debug)]
pub struct Borrowed(Option<Worker>);

impl Borrowed {
    /// One that is idle, or else a new one.
    pub fn start(program: &Path, args: &[&str]) -> io::Result<Self> {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(at) = idle.iter().position(|one| one.program == program && one.args == args) {
            let mut worker = idle.swap_remove(at);
            // It may have been ended while nobody looked.
            if worker.is_running() {
                worker.restarts = 0;
                return Ok(Self(Some(worker)));
            }
        }
        drop(idle);
        Worker::start(program, args).map(|worker| Self(Some(worker)))
    }
}

impl Reader for Borrowed {
    fn read(&mut self, language: Language, text: &str) -> Result<Outline, Unread> {
        match &mut self.0 {
            Some(worker) => worker.read(language, text),
            None => Err(Unread::Crashed("the parser was given back".to_owned())),
        }
    }

    fn prefetch(&mut self, language: Language, text: &str) {
        if let Some(worker) = &mut self.0 {
            worker.prefetch(language, text);
        }
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let Some(mut worker) = self.0.take().filter(|worker| worker.running.is_some()) else { return };
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        // Who borrows it next would wait for texts of somebody else.
        if idle.len() < IDLE_PARSERS_MAX && worker.pending.is_empty() && worker.is_running() {
            worker.ready.clear();
            idle.push(worker);
        }
    }
}

impl Reader for Worker {
    fn read(&mut self, language: Language, text: &str) -> Result<Outline, Unread> {
        if text.len() > self.limits.bytes {
            return Err(Unread::TooLarge);
        }
        let hash = self.hashes.hash_one((language as u8, text));
        if let Some(answer) = self.ready.remove(&hash) {
            return answer;
        }
        loop {
            // Sent again where the process stopped at a text before it.
            if !self.pending.contains(&hash) {
                self.send(language, text, hash)?;
            }
            let Some(next) = self.pending.pop_front() else { continue };
            let answer = self.receive();
            if next == hash {
                return answer;
            }
            let tokens =
                |answer: &Result<Outline, Unread>| answer.as_ref().map_or(0, |outline| outline.tokens.len());
            if self.ready.len() >= PREFETCHED_MAX
                || self.ready.values().map(tokens).sum::<usize>() > READY_TOKENS_MAX
            {
                // Nobody came for them; whoever does asks again.
                self.ready.clear();
            }
            self.ready.insert(next, answer);
        }
    }

    fn prefetch(&mut self, language: Language, text: &str) {
        let hash = self.hashes.hash_one((language as u8, text));
        let is_known = self.ready.contains_key(&hash) || self.pending.contains(&hash);
        if text.len() <= self.limits.bytes && !is_known && self.pending.len() < PREFETCHED_MAX {
            // Whoever reads it is told what is wrong.
            let _ = self.send(language, text, hash);
        }
    }
}

impl Running {
    fn start(program: &Path, args: &[String]) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut input = child.stdin.take().expect("it was asked for");
        let mut output = child.stdout.take().expect("it was asked for");
        let (requests, to_send) = mpsc::channel::<Vec<u8>>();
        let (to_answer, answers) = mpsc::channel();
        // Neither writing nor reading can be given up halfway, so someone else waits; it ends when the pipes do.
        thread::Builder::new().name("parser".to_owned()).spawn(move || {
            while let Ok(request) = to_send.recv() {
                let answer =
                    message::write(&mut input, &request).and_then(|()| match message::read(&mut output)? {
                        Some(answer) => Ok(answer),
                        None => Err(io::ErrorKind::UnexpectedEof.into()),
                    });
                let failed = answer.is_err();
                if to_answer.send(answer).is_err() || failed {
                    break;
                }
            }
        })?;
        Ok(Self { child, requests, answers })
    }

    /// In words; one that does not end is ended.
    fn how_it_ended(&mut self) -> String {
        const STEP: Duration = Duration::from_millis(2);
        let mut waited = Duration::ZERO;
        while waited < ENDING {
            match self.child.try_wait() {
                Ok(Some(status)) => return words(status),
                Ok(None) => thread::sleep(STEP),
                Err(error) => return error.to_string(),
            }
            waited += STEP;
        }
        "it closed its output".to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may be gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "it did not say why".to_owned(),
    }
}

/// The worker's side: answers one text after the other, until there is no more input.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    while let Some(bytes) = message::read(&mut input)? {
        let (language, text, limits) = message::read_request(&bytes).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "a request to a parser made no sense")
        })?;
        let answer = outline::read(language, text, &limits);
        message::write(&mut output, &message::answer(&answer))?;
    }
    Ok(())
}

/// The messages between the two: a length, then numbers in little-endian order and texts after their length.
///
/// Both sides are the same program, so there are no versions.
mod message {
    use super::*;

    pub(super) fn write(output: &mut impl Write, message: &[u8]) -> io::Result<()> {
        let length = u32::try_from(message.len()).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidInput, "a message to or from a parser is too long")
        })?;
        output.write_all(&length.to_le_bytes())?;
        output.write_all(message)?;
        output.flush()
    }

    /// The next message; nothing at the end.
    pub(super) fn read(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
        let mut length = Vec::with_capacity(4);
        input.by_ref().take(4).read_to_end(&mut length)?;
        let length = match length[..] {
            [] => return Ok(None),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        if length > MESSAGE_BYTES_MAX {
            let what = format!("a message of {length} bytes, where at most {MESSAGE_BYTES_MAX} are allowed");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        // Memory is taken as the bytes come: the length may be wrong.
        let mut message = Vec::new();
        input.by_ref().take(u64::from(length)).read_to_end(&mut message)?;
        if message.len() != length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(message))
    }

    pub(super) fn request(language: Language, text: &str, limits: &Limits) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len() + 25);
        bytes.push(language as u8);
        for number in [limits.bytes as u64, limits.nodes as u64, limits.time.as_micros() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }

    pub(super) fn read_request(bytes: &[u8]) -> Option<(Language, &str, Limits)> {
        let mut rest = Rest(bytes);
        let language = *Language::ALL.get(usize::from(rest.byte()?))?;
        let limits = Limits {
            bytes: usize::try_from(rest.long()?).ok()?,
            nodes: usize::try_from(rest.long()?).ok()?,
            time: Duration::from_micros(rest.long()?),
        };
        Some((language, std::str::from_utf8(rest.0).ok()?, limits))
    }

    pub(super) fn answer(answer: &Result<Outline, Unread>) -> Vec<u8> {
        let outline = match answer {
            Ok(outline) => outline,
            Err(Unread::NoGrammar) => return vec![1],
            Err(Unread::TooLarge) => return vec![2],
            Err(Unread::TooSlow) => return vec![3],
            Err(Unread::TooMany) => return vec![4],
            Err(Unread::Crashed(why)) => return [&[5], why.as_bytes()].concat(),
        };
        let mut bytes = Vec::with_capacity(outline.tokens.len() * 12 + outline.symbols.len() * 48 + 16);
        bytes.push(0);
        let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
        put(outline.fault.unwrap_or(0));
        put(outline.tokens.len() as u32);
        for token in &outline.tokens {
            put(token.print);
            put(token.line);
            put(token.last);
        }
        put(outline.symbols.len() as u32);
        for symbol in &outline.symbols {
            for number in [
                u32::from(symbol.holds_others) | u32::from(symbol.faulty) << 1,
                symbol.lines.0,
                symbol.lines.1,
                symbol.tokens.0,
                symbol.tokens.1,
                symbol.name.len() as u32,
            ] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes.extend_from_slice(symbol.name.as_bytes());
        }
        bytes
    }

    /// Nothing if it is no answer.
    pub(super) fn read_answer(bytes: &[u8]) -> Option<Result<Outline, Unread>> {
        let mut rest = Rest(bytes);
        let answer = match rest.byte()? {
            0 => Ok(read_outline(&mut rest)?),
            1 => Err(Unread::NoGrammar),
            2 => Err(Unread::TooLarge),
            3 => Err(Unread::TooSlow),
            4 => Err(Unread::TooMany),
            5 => Err(Unread::Crashed(std::str::from_utf8(std::mem::take(&mut rest.0)).ok()?.to_owned())),
            _ => return None,
        };
        rest.0.is_empty().then_some(answer)
    }

    fn read_outline(rest: &mut Rest) -> Option<Outline> {
        let fault = Some(rest.number()?).filter(|line| *line > 0);
        let tokens = rest.number()? as usize;
        let tokens = rest
            .bytes(tokens.checked_mul(12)?)?
            .chunks_exact(12)
            .map(|triple| {
                let mut triple = Rest(triple);
                Some(Token { print: triple.number()?, line: triple.number()?, last: triple.number()? })
            })
            .collect::<Option<Vec<_>>>()?;
        let count = rest.number()?;
        let mut symbols = Vec::new();
        for _ in 0..count {
            let marks = rest.number()?;
            let lines = (rest.number()?, rest.number()?);
            let range = (rest.number()?, rest.number()?);
            let length = rest.number()? as usize;
            if range.0 > range.1 || range.1 as usize > tokens.len() {
                return None;
            }
            symbols.push(Symbol {
                name: std::str::from_utf8(rest.bytes(length)?).ok()?.to_owned(),
                holds_others: marks & 1 != 0,
                lines,
                tokens: range,
                faulty: marks & 2 != 0,
            });
        }
        Some(Outline { tokens, symbols, fault })
    }

    /// What is left of a message.
    struct Rest<'a>(&'a [u8]);

    impl<'a> Rest<'a> {
        fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
            let (taken, rest) = self.0.split_at_checked(count)?;
            self.0 = rest;
            Some(taken)
        }

        fn byte(&mut self) -> Option<u8> {
            self.bytes(1).map(|bytes| bytes[0])
        }

        fn number(&mut self) -> Option<u32> {
            self.bytes(4)?.try_into().ok().map(u32::from_le_bytes)
        }

        fn long(&mut self) -> Option<u64> {
            self.bytes(8)?.try_into().ok().map(u64::from_le_bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_arrives() {
        for language in Language::ALL {
            let limits = Limits { bytes: 3, nodes: 4, time: Duration::from_millis(5) };
            let asked = message::request(language, "é\n", &limits);
            assert_eq!(message::read_request(&asked), Some((language, "é\n", limits)));
        }
        assert_eq!(message::read_request(&[0, 1, 2]), None);
    }

    #[test]
    fn every_answer_arrives() {
        let token = Token { print: u32::MAX, line: 1, last: 2 };
        let symbol = Symbol {
            name: "A.é".to_owned(),
            holds_others: true,
            lines: (1, 2),
            tokens: (0, 1),
            faulty: false,
        };
        for answer in [
            Ok(Outline { tokens: vec![token], symbols: vec![symbol], fault: Some(7) }),
            Ok(Outline::default()),
            Err(Unread::NoGrammar),
            Err(Unread::TooLarge),
            Err(Unread::TooSlow),
            Err(Unread::TooMany),
            Err(Unread::Crashed("why".to_owned())),
        ] {
            let bytes = message::answer(&answer);
            assert_eq!(message::read_answer(&bytes), Some(answer.clone()));
            if answer.is_ok() {
                assert_eq!(message::read_answer(&bytes[..bytes.len() - 1]), None);
            }
        }
    }
}
