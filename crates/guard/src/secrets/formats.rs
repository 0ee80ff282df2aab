//! Tokens that their maker gave a beginning by which they are known.
//!
//! What a token looks like is a fact about its maker; the list is long and every line of it is alike. A beginning is found by the
//! one pass over the text in [`super`]; what follows is compared here, byte by byte, without going back.

use super::value;

/// A kind of token: how it begins, and what follows.
pub struct Format {
    /// The rule's name.
    pub id: &'static str,
    /// What it is, for the person whose text was stopped.
    pub why: &'static str,
    /// Its beginnings, with their letter case.
    pub starts: &'static [&'static str],
    /// What follows the beginning.
    pub parts: &'static [Part],
    /// Something that follows the first beginning in a text where this is found. Without the beginning, so that nobody's
    /// scanner takes this file for a leak.
    pub hit: &'static str,
    /// Something that follows it where nothing is found: mostly one letter too few.
    pub miss: &'static str,
}

/// A part of a token.
#[derive(Clone, Copy)]
pub enum Part {
    /// This, to the letter.
    Is(&'static str),
    /// So many letters of an alphabet, at least and at most; as many as there are.
    Of(Alphabet, usize, usize),
}

/// A set of bytes, as a bit of `SETS`.
#[derive(Clone, Copy)]
pub struct Alphabet(u16);

impl Alphabet {
    /// Whether a byte is in it.
    pub fn has(self, byte: u8) -> bool {
        SETS[byte as usize] & self.0 != 0
    }
}

const LOWER_BIT: u16 = 1 << 8;
const UPPER_BIT: u16 = 1 << 9;
const DIGIT_BIT: u16 = 1;
const UNDERSCORE_BIT: u16 = 2;
const DASH_BIT: u16 = 4;
const PLUS_SLASH_BIT: u16 = 8;
const EQUALS_BIT: u16 = 16;
const DOT_BIT: u16 = 32;
const SMALL_HEX_BIT: u16 = 64;
const LARGE_HEX_BIT: u16 = 128;
const BASE32_BIT: u16 = 1 << 10;
const BECH32_BIT: u16 = 1 << 11;
const PERCENT_BIT: u16 = 1 << 12;
const TILDE_BIT: u16 = 1 << 13;

/// Letters of both cases and digits.
pub const ALNUM: Alphabet = Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT);
/// Digits.
pub const DIGIT: Alphabet = Alphabet(DIGIT_BIT);
/// Hexadecimal digits in small letters.
pub const HEX: Alphabet = Alphabet(DIGIT_BIT | SMALL_HEX_BIT);
/// Hexadecimal digits in either case.
pub const ANYHEX: Alphabet = Alphabet(DIGIT_BIT | SMALL_HEX_BIT | LARGE_HEX_BIT);
/// What a name in code is made of.
pub const WORD: Alphabet = Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | UNDERSCORE_BIT);
/// Base 64 as it is written in addresses.
pub const URL: Alphabet = Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | UNDERSCORE_BIT | DASH_BIT);
/// The same with dots and equals signs.
pub const DOTTED: Alphabet =
    Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | UNDERSCORE_BIT | DASH_BIT | DOT_BIT | EQUALS_BIT);
/// Base 64 without its padding.
pub const B64: Alphabet = Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | PLUS_SLASH_BIT);
/// Base 64.
pub const B64E: Alphabet = Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | PLUS_SLASH_BIT | EQUALS_BIT);
/// Capitals and digits.
pub const UPPER: Alphabet = Alphabet(UPPER_BIT | DIGIT_BIT);
/// Small letters and digits.
pub const LOWER: Alphabet = Alphabet(LOWER_BIT | DIGIT_BIT);
/// Base 32.
pub const B32: Alphabet = Alphabet(BASE32_BIT);
/// The alphabet of Bech32, in capitals.
pub const BECH: Alphabet = Alphabet(BECH32_BIT);
/// The end of an address.
pub const PATH: Alphabet =
    Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | UNDERSCORE_BIT | DASH_BIT | PLUS_SLASH_BIT | PERCENT_BIT);

/// What Azure draws its client secrets from.
pub const AZURE: Alphabet =
    Alphabet(LOWER_BIT | UPPER_BIT | DIGIT_BIT | UNDERSCORE_BIT | DASH_BIT | DOT_BIT | TILDE_BIT);

static SETS: [u16; 256] = sets();

const fn sets() -> [u16; 256] {
    let mut sets = [0u16; 256];
    let mut byte = 0usize;
    while byte < 128 {
        let letter = byte as u8;
        let mut set = 0;
        if letter.is_ascii_lowercase() {
            set |= LOWER_BIT;
        }
        if letter.is_ascii_uppercase() {
            set |= UPPER_BIT;
        }
        if letter.is_ascii_digit() {
            set |= DIGIT_BIT;
        }
        if letter >= b'a' && letter <= b'f' {
            set |= SMALL_HEX_BIT;
        }
        if letter >= b'A' && letter <= b'F' {
            set |= LARGE_HEX_BIT;
        }
        if letter.is_ascii_uppercase() || (letter >= b'2' && letter <= b'7') {
            set |= BASE32_BIT;
        }
        let mut at = 0;
        while at < BECH32.len() {
            if BECH32[at] == letter {
                set |= BECH32_BIT;
            }
            at += 1;
        }
        set |= match letter {
            b'_' => UNDERSCORE_BIT,
            b'-' => DASH_BIT,
            b'+' | b'/' => PLUS_SLASH_BIT,
            b'=' => EQUALS_BIT,
            b'.' => DOT_BIT,
            b'%' => PERCENT_BIT,
            b'~' => TILDE_BIT,
            _ => 0,
        };
        sets[byte] = set;
        byte += 1;
    }
    sets
}

const BECH32: &[u8] = b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";

/// Where the token ends that begins with `start` at `at`, if there is one.
pub fn end_of(format: &Format, text: &str, at: usize, start: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !text[at..].starts_with(start) || !token_begins_at(bytes, at, start) {
        return None;
    }
    let body = at + start.len();
    let end = match_parts(format.parts, bytes, body)?;
    let drawn = &bytes[body..end];
    (value::is_drawn(drawn)
        && has_digit_or_is_long(drawn)
        && !value::is_sample(&text[body..end])
        && !value::is_printed(&text[at..end]))
    .then_some(end)
}

/// Where the parts end, if they all are there and no more of the last one follows.
pub fn match_parts(parts: &[Part], bytes: &[u8], mut at: usize) -> Option<usize> {
    for (index, part) in parts.iter().enumerate() {
        match *part {
            Part::Is(literal) => {
                if !bytes[at..].starts_with(literal.as_bytes()) {
                    return None;
                }
                at += literal.len();
            }
            Part::Of(alphabet, least, most) => {
                let there = bytes[at..].iter().take(most + 1).take_while(|&&byte| alphabet.has(byte)).count();
                // A part of fixed length may be followed by a literal that its alphabet could have swallowed.
                let fixed = least == most
                    && there > most
                    && matches!(parts.get(index + 1), Some(Part::Is(_) | Part::Of(..)));
                let mut there = if fixed { most } else { there };
                if index + 1 == parts.len() {
                    // A full stop or an equals sign at the end belongs to the sentence.
                    while there > least
                        && matches!(bytes[at + there - 1], b'.' | b'=' | b'-' | b'/')
                        && !(bytes[at + there - 1] == b'=' && there % 4 == 0)
                    {
                        there -= 1;
                    }
                }
                if there < least || there > most {
                    return None;
                }
                at += there;
            }
        }
    }
    (!bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')).then_some(at)
}

/// Whether something can begin here: no letter, digit, dash or underscore before it, unless that ends an escape such as `\n` or `%3D`.
pub fn begins_at(bytes: &[u8], at: usize) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|i| bytes.get(i)) else { return true };
    !(before.is_ascii_alphanumeric() || matches!(before, b'_' | b'-'))
        || bytes[at] == b'.'
        || ends_escape(&bytes[..at])
}

/// Whether a token with this beginning can stand here: glued to a name or a number, as in `run-ghp_...`, it is a token all the same.
fn token_begins_at(bytes: &[u8], at: usize, start: &str) -> bool {
    begins_at(bytes, at)
        || match bytes[at - 1] {
            // `cache-key-` and a hash is a name.
            b'-' | b'_' => start != "key-" || bytes[..at].ends_with(b"--"),
            // Two letters, or digits, may belong to the number before them.
            b'0'..=b'9' => start.len() > 2 && !start.starts_with(|first: char| first.is_ascii_digit()),
            _ => false,
        }
}

/// Whether the last bytes are an escape: `\n`, `%3D`, `=3D`, `\x3d` or `\u003d`.
pub fn ends_escape(bytes: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match bytes {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%' | b'=', high @ b'2'..=b'7', low] => hex(&[*high, *low]),
        [.., b'\\', b'x', high, low] => hex(&[*high, *low]),
        [.., b'\\', b'u', b'0', b'0', high, low] => hex(&[*high, *low]),
        _ => false,
    }
}

/// Words have no digits; a key of some length without any is drawn seldom, except where its alphabet has none.
fn has_digit_or_is_long(body: &[u8]) -> bool {
    body.iter().any(u8::is_ascii_digit) || (body.len() >= 16 && body.iter().any(u8::is_ascii_uppercase))
}

use Part::{Is, Of};

const fn format(
    id: &'static str,
    why: &'static str,
    starts: &'static [&'static str],
    parts: &'static [Part],
    hit: &'static str,
    miss: &'static str,
) -> Format {
    Format { id, why, starts, parts, hit, miss }
}

/// All of them.
pub const FORMATS: &[Format] = &[
    format(
        "aws-access-key-id",
        "The id of an AWS access key.",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        &[Of(B32, 16, 16)],
        "UJZDEGXDNCF32EPF",
        "UJZDEGXDNCF32EP",
    ),
    format(
        "aws-bedrock-key",
        "An AWS Bedrock key.",
        &["ABSK"],
        &[Of(B64E, 109, 269)],
        "2hpChYgCfrL1spNxnyVmihA/2O76UMFxFkM/R5Kjp1vRt+1fjORS/6ilI8ihN5KXSc7Tvo/hBKqFYY/kv5ZJr3J1TWDtkwtDDb+xHKas1VOqg",
        "2hpChYgCfrL1spNxnyVmihA/2O76UMFxFkM/R5Kjp1vRt+1fjORS/6ilI8ihN5KXSc7Tvo/hBKqFYY/kv5ZJr3J1TWDtkwtDDb+xHKas1VOq",
    ),
    format(
        "aws-bedrock-short-key",
        "A short-lived AWS Bedrock key.",
        &["bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"],
        &[Of(B64E, 20, 2000)],
        "6YYZYn9ZhyiA4uoRgnat",
        "6YYZYn9ZhyiA4uoRgna",
    ),
    format(
        "alibaba-access-key-id",
        "The id of an Alibaba Cloud access key.",
        &["LTAI"],
        &[Of(ALNUM, 17, 21)],
        "Ig8xNbe3nNyjOq9wM",
        "Ig8xNbe3nNyjOq9w",
    ),
    format(
        "tencent-secret-id",
        "The id of a Tencent Cloud secret.",
        &["AKID"],
        &[Of(ALNUM, 32, 32)],
        "xEhh2FDEEtfjgVvVqE1SkHbn88HxjSI6",
        "xEhh2FDEEtfjgVvVqE1SkHbn88HxjSI",
    ),
    format(
        "google-api-key",
        "A Google API key.",
        &["AIza"],
        &[Of(URL, 35, 35)],
        "dMlHUvTCQCyEZDz-TddJ8HyS5SUkCnD8zRA",
        "dMlHUvTCQCyEZDz-TddJ8HyS5SUkCnD8zR",
    ),
    format(
        "google-oauth-secret",
        "A Google OAuth client secret.",
        &["GOCSPX-"],
        &[Of(URL, 28, 28)],
        "9a9SkpXz9w3QlY7Zkuvqdt7s8Stq",
        "9a9SkpXz9w3QlY7Zkuvqdt7s8St",
    ),
    format(
        "google-oauth-token",
        "A Google OAuth access token.",
        &["ya29."],
        &[Of(DOTTED, 30, 1000)],
        "cbnr3yBdGBL.EPH1qhT61.qtc4xatw",
        "cbnr3yBdGBL.EPH1qhT61.qtc4xat",
    ),
    format(
        "google-refresh-token",
        "A Google OAuth refresh token.",
        &["1//0"],
        &[Of(URL, 40, 160)],
        "s8phP9nhFyJfm5di4PzJ59FHz5r1pY4OjE2jBMpt",
        "s8phP9nhFyJfm5di4PzJ59FHz5r1pY4OjE2jBMp",
    ),
    format(
        "github-token",
        "A GitHub token.",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        &[Of(ALNUM, 36, 255)],
        "8TPQxjq4i9DoV8gz4FkQ1okTBGzvAmwufUxb",
        "8TPQxjq4i9DoV8gz4FkQ1okTBGzvAmwufUx",
    ),
    format(
        "github-fine-grained-token",
        "A fine-grained GitHub token.",
        &["github_pat_"],
        &[Of(ALNUM, 22, 22), Is("_"), Of(ALNUM, 59, 59)],
        "vJDCTbyvHNsG9eh6Yo4gfq_rc5XlrWi0B26R08qzjI6GKFSufrdZSlB5er8bOfZqfM2oeq3hDavJA76rNi",
        "vJDCTbyvHNsG9eh6Yo4gfq_rc5XlrWi0B26R08qzjI6GKFSufrdZSlB5er8bOfZqfM2oeq3hDavJA76rN",
    ),
    format(
        "gitlab-token",
        "A GitLab personal access token.",
        &["glpat-"],
        &[Of(URL, 20, 300)],
        "fEouHgxzNNAL5wIScGeb",
        "fEouHgxzNNAL5wIScGe",
    ),
    format(
        "gitlab-routable-token",
        "A routable GitLab personal access token.",
        &["glpat-"],
        &[Of(URL, 27, 300), Is("."), Of(LOWER, 2, 2), Is("."), Of(LOWER, 7, 9)],
        "cy8F5n3-YNBDRzrZSgqbjG3uhkW.6s.psc3lk7",
        "cy8F5n3-YNBDR",
    ),
    format(
        "gitlab-deploy-token",
        "A GitLab deploy token.",
        &["gldt-"],
        &[Of(URL, 20, 20)],
        "5aHUQPFeNBTxaQWk8JzF",
        "5aHUQPFeNBTxaQWk8Jz",
    ),
    format(
        "gitlab-feed-token",
        "A GitLab feed token.",
        &["glft-"],
        &[Of(URL, 20, 20)],
        "f2rcDkdfrUnW5gcF_Ha6",
        "f2rcDkdfrUnW5gcF_Ha",
    ),
    format(
        "gitlab-mail-token",
        "A GitLab incoming mail token.",
        &["glimt-"],
        &[Of(URL, 25, 25)],
        "ili8GjHEAD6-Wj9KfzjsQGMrb",
        "ili8GjHEAD6-Wj9KfzjsQGMr",
    ),
    format(
        "gitlab-agent-token",
        "A GitLab agent token.",
        &["glagent-"],
        &[Of(URL, 50, 1024)],
        "9h_ImB_LK777pzNk8cL6j5IXAAjlsHUqJoUD-_Ydua_5ZMs1SW",
        "9h_ImB_LK777pzNk8cL6j5IXAAjlsHUqJoUD-_Ydua_5ZMs1S",
    ),
    format(
        "gitlab-oauth-secret",
        "A GitLab OAuth application secret.",
        &["gloas-"],
        &[Of(URL, 64, 64)],
        "C5Q52ryFlwRlOEVHzc0X0AWIRh-JUqBlIFXZ53Ncqe28_ajY75FnCttn6kfaqDeM",
        "C5Q52ryFlwRlOEVHzc0X0AWIRh-JUqBlIFXZ53Ncqe28_ajY75FnCttn6kfaqDe",
    ),
    format(
        "gitlab-scim-token",
        "A GitLab SCIM token.",
        &["glsoat-"],
        &[Of(URL, 20, 20)],
        "qG3omjMyXHCabM6JOF8E",
        "qG3omjMyXHCabM6JOF8",
    ),
    format(
        "gitlab-trigger-token",
        "A GitLab pipeline trigger token.",
        &["glptt-"],
        &[Of(HEX, 40, 40)],
        "70d9106fd287db7f1adbc60926f6967e7893f57f",
        "70d9106fd287db7f1adbc60926f6967e7893f57",
    ),
    format(
        "gitlab-runner-token",
        "A GitLab runner token.",
        &["glrt-", "glrtr-"],
        &[Of(URL, 20, 100)],
        "1hsYgBds1ghxY5OokvQy",
        "1hsYgBds1ghxY5OokvQ",
    ),
    format(
        "gitlab-job-token",
        "A GitLab job token.",
        &["glcbt-"],
        &[Of(URL, 20, 100)],
        "x7eNWVQ4vnakJkS1pAWT",
        "x7eNWVQ4vnakJkS1pAW",
    ),
    format(
        "gitlab-feature-flag-token",
        "A GitLab feature flag token.",
        &["glffct-"],
        &[Of(URL, 20, 20)],
        "N3lg8zV5yPU8d0FZfWe7",
        "N3lg8zV5yPU8d0FZfWe",
    ),
    format(
        "gitlab-registration-token",
        "A GitLab runner registration token.",
        &["GR1348941"],
        &[Of(URL, 20, 20)],
        "ihGyiRUIQfHOJMaidDn8",
        "ihGyiRUIQfHOJMaidDn",
    ),
    format(
        "slack-user-token",
        "A Slack user token.",
        &["xoxp-", "xoxe-"],
        &[
            Of(DIGIT, 10, 13),
            Is("-"),
            Of(DIGIT, 10, 13),
            Is("-"),
            Of(DIGIT, 10, 13),
            Is("-"),
            Of(ALNUM, 28, 34),
        ],
        "7646727204-2935575918-3623610788-ukB4geqNfngAFTCloiADN5RpVI2X",
        "7646727204-2935575918-3623610788-ukB4geqNfngAFTCloiADN5RpVI2",
    ),
    format(
        "slack-bot-token",
        "A Slack bot token.",
        &["xoxb-"],
        &[Of(DIGIT, 10, 14), Is("-"), Of(DIGIT, 10, 14), Is("-"), Of(ALNUM, 18, 34)],
        "1444945443-7323324935-ezqpGHoPZgPDcgaE40",
        "1444945443-7323324935-ezqpGHoPZgPDcgaE4",
    ),
    format(
        "slack-old-bot-token",
        "A Slack bot token of the older kind.",
        &["xoxb-"],
        &[Of(DIGIT, 8, 14), Is("-"), Of(ALNUM, 18, 26)],
        "37504310-mM0Lm7exG3lCMqXXQ8",
        "37504310-mM0Lm7exG3lCMqXXQ",
    ),
    format(
        "slack-workspace-token",
        "A Slack workspace token.",
        &["xoxa-2-", "xoxr-2-"],
        &[Of(DIGIT, 8, 14), Is("-"), Of(DIGIT, 8, 14), Is("-"), Of(DIGIT, 8, 14), Is("-"), Of(HEX, 16, 48)],
        "01995305-52034093-05652941-61ff2d3c425c8d99",
        "01995305-52034093-05652941-61ff2d3c425c8d9",
    ),
    format(
        "slack-old-workspace-token",
        "A Slack workspace token of the older kind.",
        &["xoxa-", "xoxr-"],
        &[Of(ALNUM, 9, 48)],
        "A9dtVK4wA",
        "A9dtVK4w",
    ),
    format(
        "slack-legacy-token",
        "A legacy Slack token.",
        &["xoxo-", "xoxs-"],
        &[
            Of(DIGIT, 6, 14),
            Is("-"),
            Of(DIGIT, 6, 14),
            Is("-"),
            Of(DIGIT, 6, 14),
            Is("-"),
            Of(ANYHEX, 10, 64),
        ],
        "605366-306261-169572-401B4Ec2CD",
        "605366-306261-169572-401B4Ec2C",
    ),
    format(
        "slack-app-token",
        "A Slack app token.",
        &["xapp-1-"],
        &[Of(UPPER, 9, 13), Is("-"), Of(DIGIT, 9, 14), Is("-"), Of(ALNUM, 48, 70)],
        "X6KJWSK7K-116734207-udM7Oyf5TNS05kOY2oNzN2m1ElKncz8HkywhjpU05mc4J1WR",
        "X6KJWSK7K-116734207-udM7Oyf5TNS05kOY2oNzN2m1ElKncz8HkywhjpU05mc4J1W",
    ),
    format(
        "slack-refresh-token",
        "A Slack refresh token.",
        &["xoxe-1-"],
        &[Of(ALNUM, 140, 170)],
        "cQ1uhyMDJ2OXtPAtLpByQxCGClbaNFDpCWNX0D1lZEzgeiwBxfZCGGQccOif7UuXUGfdWG5yP8Yib2eNUS0hmi4Fs9Z6YkRYU7oe1wNWqku5Nr50DjqG96EnLqNGpuxcmlzkO7rRu5yk",
        "cQ1uhyMDJ2OXtPAtLpByQxCGClbaNFDpCWNX0D1lZEzgeiwBxfZCGGQccOif7UuXUGfdWG5yP8Yib2eNUS0hmi4Fs9Z6YkRYU7oe1wNWqku5Nr50DjqG96EnLqNGpuxcmlzkO7rRu5y",
    ),
    format(
        "slack-config-token",
        "A Slack configuration token.",
        &["xoxe.xoxp-1-", "xoxe.xoxb-1-"],
        &[Of(ALNUM, 160, 170)],
        "YYqhXHdO2x93CJHLS45gqIO2zVZxqyxKjxvWfColNV9ds0HqtO93L7Q5uUaVcojsNOBAGx5diFoNPcbdaKwtgHwIoALtLinxN1Ekia7ZpTjCgeOj3QYrzZq9adP0J5wMPLCM7HUFpk5acdIbzlpkd6XgaNJQ8mjA",
        "YYqhXHdO2x93CJHLS45gqIO2zVZxqyxKjxvWfColNV9ds0HqtO93L7Q5uUaVcojsNOBAGx5diFoNPcbdaKwtgHwIoALtLinxN1Ekia7ZpTjCgeOj3QYrzZq9adP0J5wMPLCM7HUFpk5acdIbzlpkd6XgaNJQ8mj",
    ),
    format(
        "slack-cookie",
        "A Slack session cookie.",
        &["xoxd-"],
        &[Of(PATH, 40, 300)],
        "z%/1w+NiMg9aW37k5wCnHDepQHgI3%HLBk/bvHEz",
        "z%/1w+NiMg9aW37k5wCnHDepQHgI3%HLBk/bvHE",
    ),
    format(
        "slack-webhook",
        "A Slack webhook address.",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[Of(PATH, 30, 90)],
        "uPyXQEW88ad3DNBYjvsedonuSsddfr",
        "uPyXQEW88ad3DNBYjvsedonuSsddf",
    ),
    format(
        "stripe-secret-key",
        "A Stripe secret key.",
        &["sk_live_", "sk_test_", "sk_prod_"],
        &[Of(ALNUM, 16, 247)],
        "SPOcSeVce2LWxm09",
        "SPOcSeVce2LWxm0",
    ),
    format(
        "stripe-restricted-key",
        "A restricted Stripe key.",
        &["rk_live_", "rk_test_", "rk_prod_"],
        &[Of(ALNUM, 16, 247)],
        "0I5Qe43W6T8ygpnn",
        "0I5Qe43W6T8ygpn",
    ),
    format(
        "stripe-webhook-secret",
        "A webhook signing secret.",
        &["whsec_"],
        &[Of(B64E, 24, 64)],
        "oeelK9mqmALOR2HcSGKgVP8K",
        "oeelK9mqmALOR2HcSGKgVP8",
    ),
    format(
        "twilio-key",
        "A Twilio API key.",
        &["SK"],
        &[Of(HEX, 32, 32)],
        "0d0d3bf16295d06910bf3f5fb85967f5",
        "0d0d3bf16295d06910bf3f5fb85967f",
    ),
    format(
        "twilio-account-id",
        "A Twilio account id.",
        &["AC"],
        &[Of(HEX, 32, 32)],
        "32f3ab3cc2d0b698d5c7e41ba4ea5ee8",
        "32f3ab3cc2d0b698d5c7e41ba4ea5ee",
    ),
    format(
        "sendgrid-key",
        "A SendGrid key.",
        &["SG."],
        &[Of(URL, 20, 24), Is("."), Of(URL, 39, 50)],
        "DqQ7EyIMttFPSuEPyHnv.nzXtsMM3JznnJAX7ebZ3CL7csGZaF31DDxp63OH",
        "DqQ7EyIMttFPSuEPyHnv.nzXtsMM3JznnJAX7ebZ3CL7csGZaF31DDxp63O",
    ),
    format(
        "mailgun-key",
        "A Mailgun key.",
        &["key-"],
        &[Of(HEX, 32, 32)],
        "3d7c58dfe0d5a0cf318656b3e6f0bade",
        "3d7c58dfe0d5a0cf318656b3e6f0bad",
    ),
    format(
        "brevo-key",
        "A Brevo key.",
        &["xkeysib-"],
        &[Of(HEX, 64, 64), Is("-"), Of(ALNUM, 16, 16)],
        "65c3b188cc102ddb8379c7ce65426f74bde94fb78c8d5f08b79affd2b49c12a4-H1wOLaQan8ePsqMg",
        "65c3b188cc102ddb8379c7ce65426f74bde94fb78c8d5f08b79affd2b49c12a4-H1wOLaQan8ePsqM",
    ),
    format(
        "brevo-smtp-key",
        "A Brevo SMTP key.",
        &["xsmtpsib-"],
        &[Of(HEX, 64, 64), Is("-"), Of(ALNUM, 16, 16)],
        "475eb46c5296f62e338d74ff1fe4f7f505aef9ebdd25b001a3ff416d4a3baf69-BvBqJd0ssw0FzvGr",
        "475eb46c5296f62e338d74ff1fe4f7f505aef9ebdd25b001a3ff416d4a3baf69-BvBqJd0ssw0FzvG",
    ),
    format(
        "mailersend-token",
        "A MailerSend token.",
        &["mlsn."],
        &[Of(HEX, 64, 64)],
        "b6f3a6a9421cc1c93016f1c4261e5351d30b49895d1a0d1f13dce20c4fd32f64",
        "b6f3a6a9421cc1c93016f1c4261e5351d30b49895d1a0d1f13dce20c4fd32f6",
    ),
    format(
        "resend-key",
        "A Resend key.",
        &["re_"],
        &[Of(ALNUM, 8, 8), Is("_"), Of(ALNUM, 24, 24)],
        "92fn3hiE_brUKpCUVl7dxXVTS2jUWfsOJ",
        "92fn3hiE_brUKpCUVl7dxXVTS2jUWfsO",
    ),
    format(
        "npm-token",
        "An npm token.",
        &["npm_"],
        &[Of(ALNUM, 36, 36)],
        "TFDQ74q69dTcada4PR0NfyttUMk931FMdux8",
        "TFDQ74q69dTcada4PR0NfyttUMk931FMdux",
    ),
    format(
        "pypi-token",
        "A PyPI token.",
        &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"],
        &[Of(URL, 50, 1000)],
        "48vsoUu19X5IQLJhQbtN2FWXWD5KaPHI2ufKssJ-Sk_WzDNhY7",
        "48vsoUu19X5IQLJhQbtN2FWXWD5KaPHI2ufKssJ-Sk_WzDNhY",
    ),
    format(
        "rubygems-key",
        "A RubyGems key.",
        &["rubygems_"],
        &[Of(HEX, 48, 48)],
        "680ce2b27c8af6666259bbc471fb3be24a0b80316f688d3e",
        "680ce2b27c8af6666259bbc471fb3be24a0b80316f688d3",
    ),
    format(
        "cargo-token",
        "A crates.io token.",
        &["cio"],
        &[Of(ALNUM, 32, 32)],
        "XL0M9iq1cvmlyfbdcJx3TDF8265e3MOz",
        "XL0M9iq1cvmlyfbdcJx3TDF8265e3MO",
    ),
    format(
        "nuget-key",
        "A NuGet key.",
        &["oy2"],
        &[Of(LOWER, 43, 43)],
        "hfquof6zl2kxpolcqwd9bdq64dgjuamt2g4uxqyhx4y",
        "hfquof6zl2kxpolcqwd9bdq64dgjuamt2g4uxqyhx4",
    ),
    format(
        "clojars-token",
        "A Clojars token.",
        &["CLOJARS_"],
        &[Of(LOWER, 60, 60)],
        "k2pja3mckoexi2gybe2vuo4hxjvodl29j2jr00pjbrsvkq5gu34hj6dn94sh",
        "k2pja3mckoexi2gybe2vuo4hxjvodl29j2jr00pjbrsvkq5gu34hj6dn94s",
    ),
    format(
        "docker-token",
        "A Docker Hub token.",
        &["dckr_pat_", "dckr_oat_"],
        &[Of(URL, 27, 32)],
        "GzU3HEEmXL1uhLsc4Rr4aKxU3f0",
        "GzU3HEEmXL1uhLsc4Rr4aKxU3f",
    ),
    format(
        "openai-project-key",
        "An OpenAI project key.",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        &[Of(URL, 20, 200)],
        "9rIFxUeuVaT5jpTFPWhL",
        "9rIFxUeuVaT5jpTFPWh",
    ),
    format(
        "openai-key",
        "An OpenAI key.",
        &["sk-"],
        &[Of(ALNUM, 48, 48)],
        "3g9UFCGbHZIibp9foNlkgtqJ09bbg7SVmqb1MOKDHpSCgw3g",
        "3g9UFCGbHZIibp9foNlkgtqJ09bbg7SVmqb1MOKDHpSCgw3",
    ),
    format(
        "openrouter-key",
        "An OpenRouter key.",
        &["sk-or-v1-"],
        &[Of(HEX, 64, 64)],
        "5183ef8333c4774ec50cd1c1bac7adac1a4b7d0b352ad6074dce1118813830d7",
        "5183ef8333c4774ec50cd1c1bac7adac1a4b7d0b352ad6074dce1118813830d",
    ),
    format(
        "anthropic-key",
        "An Anthropic key.",
        &["sk-ant-api03-", "sk-ant-admin01-"],
        &[Of(URL, 93, 93), Is("AA")],
        "fKoNSvphIk7s4pqL0KJFlK6CXzU6M98NdFQCyXYbTuEPP_IKBLhcuiS4hX4TnCt1RTrzJm8Iq0na0p-Yt1JoW56KTLTYXAA",
        "fKoNSvphIk7s4pqL0KJFlK6CXzU6M98NdFQCyXYbTuEPP_IKBLhcuiS4hX4TnCt1RTrzJm8Iq0na0p-Yt1JoW56KTLTYAA",
    ),
    format(
        "anthropic-token",
        "An Anthropic session or OAuth token.",
        &["sk-ant-oat01-", "sk-ant-ort01-", "sk-ant-sid01-", "sk-ant-sid02-"],
        &[Of(URL, 60, 160)],
        "Pa-W4MxMs3WDlQPFPA2bdgG-MN33X7TfS5biDm0VZty1_Z4RlvUOUjNwoLR1",
        "Pa-W4MxMs3WDlQPFPA2bdgG-MN33X7TfS5biDm0VZty1_Z4RlvUOUjNwoLR",
    ),
    format(
        "huggingface-token",
        "A Hugging Face token.",
        &["hf_"],
        &[Of(ALNUM, 34, 40)],
        "OkHs0GnG5mAldOKMgwKOOUcSAaYatTSJa6",
        "OkHs0GnG5mAldOKMgwKOOUcSAaYatTSJa",
    ),
    format(
        "huggingface-organization-token",
        "A Hugging Face organisation token.",
        &["api_org_"],
        &[Of(ALNUM, 34, 34)],
        "tz1gLaQbmlFXJKr3P5IGjKmAMhjkHWGgbg",
        "tz1gLaQbmlFXJKr3P5IGjKmAMhjkHWGgb",
    ),
    format(
        "groq-key",
        "A Groq key.",
        &["gsk_"],
        &[Of(ALNUM, 48, 56)],
        "ek8HF0DNBZZdPaRXLujTpwrkcrOg258LewmCNybdo4zLW9cC",
        "ek8HF0DNBZZdPaRXLujTpwrkcrOg258LewmCNybdo4zLW9c",
    ),
    format(
        "replicate-token",
        "A Replicate token.",
        &["r8_"],
        &[Of(ALNUM, 37, 40)],
        "dNppock7L2lua530DtAMq94F8epRyRTLoAtz4",
        "dNppock7L2lua530DtAMq94F8epRyRTLoAtz",
    ),
    format(
        "perplexity-key",
        "A Perplexity key.",
        &["pplx-"],
        &[Of(ALNUM, 40, 56)],
        "TFbY3pflkwyla4szJxhvI3yvzPe9hB06wJpymDsw",
        "TFbY3pflkwyla4szJxhvI3yvzPe9hB06wJpymDs",
    ),
    format(
        "xai-key",
        "An xAI key.",
        &["xai-"],
        &[Of(ALNUM, 70, 84)],
        "pBcrQbvZjpTifmrI1YiJCD1YZpkxwnUzyO9Lnt8EGno2CRi8TqM5CLxIpzMGni3WhRGfI2",
        "pBcrQbvZjpTifmrI1YiJCD1YZpkxwnUzyO9Lnt8EGno2CRi8TqM5CLxIpzMGni3WhRGfI",
    ),
    format(
        "fireworks-key",
        "A Fireworks key.",
        &["fw_"],
        &[Of(ALNUM, 22, 26)],
        "rVXWybQTKjtayTfSlX2oum",
        "rVXWybQTKjtayTfSlX2ou",
    ),
    format(
        "together-key",
        "A Together key.",
        &["tgp_v1_"],
        &[Of(URL, 40, 50)],
        "niUMyiNlCKqZKTZ7qJwdUS0d7FZTmxLoICfZfu3z",
        "niUMyiNlCKqZKTZ7qJwdUS0d7FZTmxLoICfZfu3",
    ),
    format(
        "nvidia-key",
        "An NVIDIA key.",
        &["nvapi-"],
        &[Of(URL, 60, 80)],
        "MtWfNwD-G3SaoKfgFoeOASl1YCJlS24R5gA2q_yfHwuEHFhvTS0lzNrr_9EE",
        "MtWfNwD-G3SaoKfgFoeOASl1YCJlS24R5gA2q_yfHwuEHFhvTS0lzNrr_9E",
    ),
    format(
        "langsmith-key",
        "A LangSmith key.",
        &["lsv2_pt_", "lsv2_sk_"],
        &[Of(HEX, 32, 32), Is("_"), Of(HEX, 10, 10)],
        "0e4b9447a3d54ec6390bf61189639e35_aeeb95210e",
        "0e4b9447a3d54ec6390bf61189639e35_aeeb95210",
    ),
    format(
        "langfuse-key",
        "A Langfuse secret key.",
        &["sk-lf-"],
        &[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ],
        "f2a83fdf-6a0b-2987-2400-c49b5539ac5b",
        "f2a83fdf-6a0b-2987-2400-c49b5539ac5",
    ),
    format(
        "pinecone-key",
        "A Pinecone key.",
        &["pcsk_"],
        &[Of(WORD, 50, 80)],
        "uoxiJ6x11qpdcgKZO60Tz5d8nFBFUktMLOfjSokiCO_zf_c2CE",
        "uoxiJ6x11qpdcgKZO60Tz5d8nFBFUktMLOfjSokiCO_zf_c2C",
    ),
    format(
        "tavily-key",
        "A Tavily key.",
        &["tvly-"],
        &[Of(URL, 20, 50)],
        "yBVae2sKjh1Ri4bwvWLa",
        "yBVae2sKjh1Ri4bwvWL",
    ),
    format(
        "firecrawl-key",
        "A Firecrawl key.",
        &["fc-"],
        &[Of(HEX, 32, 32)],
        "eb6f2aed4c21a9dbf49a067e24bdb7ec",
        "eb6f2aed4c21a9dbf49a067e24bdb7e",
    ),
    format(
        "jina-key",
        "A Jina key.",
        &["jina_"],
        &[Of(URL, 60, 70)],
        "HoDxzoCGmyG_D6Cok0j4ron6Yvy8lrVhZEgVfbB6Mpr2lzoTvURbGpEVT_fT",
        "HoDxzoCGmyG_D6Cok0j4ron6Yvy8lrVhZEgVfbB6Mpr2lzoTvURbGpEVT_f",
    ),
    format(
        "elevenlabs-key",
        "A key that begins like ElevenLabs's.",
        &["sk_"],
        &[Of(HEX, 48, 48)],
        "3ba3178b6e0e30f328549c488e00a4ff1125cf5ec72ba694",
        "3ba3178b6e0e30f328549c488e00a4ff1125cf5ec72ba69",
    ),
    format(
        "voyage-key",
        "A Voyage key.",
        &["pa-"],
        &[Of(URL, 43, 43)],
        "fBvU7Q7XTOaQ9QDcF6fssIXIiHTremz2mUKEsjMRUFS",
        "fBvU7Q7XTOaQ9QDcF6fssIXIiHTremz2mUKEsjMRUF",
    ),
    format(
        "cerebras-key",
        "A Cerebras key.",
        &["csk-"],
        &[Of(LOWER, 48, 48)],
        "9zvdvu46xppwjina3z2ztkejttq9vemfltw3w1e5ulrq8bkr",
        "9zvdvu46xppwjina3z2ztkejttq9vemfltw3w1e5ulrq8bk",
    ),
    format(
        "wandb-key",
        "A Weights and Biases key.",
        &["wandb_v1_"],
        &[Of(URL, 60, 90)],
        "EcBgZ5zKmzEhqgkjRrayIbPdBPPd_ZRwh1flQ-ZG7bdOOh1QulctAslTU2St",
        "EcBgZ5zKmzEhqgkjRrayIbPdBPPd_ZRwh1flQ-ZG7bdOOh1QulctAslTU2S",
    ),
    format(
        "databricks-token",
        "A Databricks token.",
        &["dapi", "dkea", "dose"],
        &[Of(HEX, 32, 32)],
        "a78f19e8b8480f3b47c20431658b4550",
        "a78f19e8b8480f3b47c20431658b455",
    ),
    format(
        "digitalocean-token",
        "A DigitalOcean token.",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        &[Of(HEX, 64, 64)],
        "b7ef6bce6a0302cb17cdc70808d77b6ad89f65f84992a0f75ae616b1e5d49034",
        "b7ef6bce6a0302cb17cdc70808d77b6ad89f65f84992a0f75ae616b1e5d4903",
    ),
    format(
        "doppler-token",
        "A Doppler token.",
        &["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &[Of(ALNUM, 40, 44)],
        "6ai6tjGVwgWkDRzfAvP6QTz4v5cLpmYOSaciGMoK",
        "6ai6tjGVwgWkDRzfAvP6QTz4v5cLpmYOSaciGMo",
    ),
    format(
        "doppler-service-token",
        "A Doppler service token.",
        &["dp.st."],
        &[Of(DOTTED, 40, 80)],
        "3ncgOiop_r2awCs.oT-jSBCjIwbHIifzg0UIbPf6",
        "3ncgOiop_r2awCs.oT-jSBCjIwbHIifzg0UIbPf",
    ),
    format(
        "duffel-token",
        "A Duffel token.",
        &["duffel_live_", "duffel_test_"],
        &[Of(DOTTED, 43, 43)],
        "KQ0IZ2O1XtXX0saE.GWEzolegZP4O6a88RWEWTiYIPj",
        "KQ0IZ2O1XtXX0saE.GWEzolegZP4O6a88RWEWTiYIP",
    ),
    format(
        "dynatrace-token",
        "A Dynatrace token.",
        &["dt0c01.", "dt0s01.", "dt0s02."],
        &[Of(UPPER, 8, 24), Is("."), Of(UPPER, 64, 64)],
        "8OQQ4W74.OJE7X7N7KXPLJ3LCUYX1H0JQYGXW77T2FRZS2H24L7JAIX57PX7VYQB9MAQDLT8R",
        "8OQQ4W74.OJE7X7N7KXPLJ3LCUYX1H0JQYGXW77T2FRZS2H24L7JAIX57PX7VYQB9MAQDLT8",
    ),
    format(
        "easypost-key",
        "An EasyPost key.",
        &["EZAK", "EZTK"],
        &[Of(ALNUM, 54, 54)],
        "6uqpq1CfHOF2fmiB9YsNXx6cTCyxcTWsABPMZqwpy2Li7Nm2TLxeQn",
        "6uqpq1CfHOF2fmiB9YsNXx6cTCyxcTWsABPMZqwpy2Li7Nm2TLxeQ",
    ),
    format(
        "flutterwave-key",
        "A Flutterwave secret key.",
        &["FLWSECK-", "FLWSECK_TEST-"],
        &[Of(LOWER, 32, 32), Is("-X")],
        "vef2yz705bg33104le2z5i6aomz8cs9v-X",
        "vef2yz705bg33104le2z5i6aomz8cs9-X",
    ),
    format(
        "flutterwave-encryption-key",
        "A Flutterwave encryption key.",
        &["FLWSECK_TEST"],
        &[Of(HEX, 12, 12)],
        "ce327203f26e",
        "ce327203f26",
    ),
    format(
        "fly-token",
        "A Fly.io token.",
        &["fo1_"],
        &[Of(URL, 43, 43)],
        "hzQ9h1r0gsPQyaxJHlOXGMY1gNMFW3GNzqgAV7_sURz",
        "hzQ9h1r0gsPQyaxJHlOXGMY1gNMFW3GNzqgAV7_sUR",
    ),
    format(
        "fly-macaroon",
        "A Fly.io token.",
        &["fm1a_", "fm1r_", "fm2_"],
        &[Of(B64E, 100, 2000)],
        "6gObi0PeJC4LzA6Z4AAhx3pgrj/xbv/CLBusAm7mzlg1CG42thrfu5LDOtNHPBtDYePWtLClz7tx3QZoeTpAjL+Sc/lz+JMlzr8I",
        "6gObi0PeJC4LzA6Z4AAhx3pgrj/xbv/CLBusAm7mzlg1CG42thrfu5LDOtNHPBtDYePWtLClz7tx3QZoeTpAjL+Sc/lz+JMlzr8",
    ),
    format(
        "frameio-token",
        "A Frame.io token.",
        &["fio-u-"],
        &[Of(DOTTED, 64, 64)],
        "DMemaSytMgwQS59FQUwoMi6mouY7eefm0q1TjVuUvlQa9MtHmnEot-IpP7Fuf.GU",
        "DMemaSytMgwQS59FQUwoMi6mouY7eefm0q1TjVuUvlQa9MtHmnEot-IpP7Fuf.G",
    ),
    format(
        "figma-token",
        "A Figma token.",
        &["figd_", "figo_", "figoh_"],
        &[Of(URL, 38, 46)],
        "zKZAqEEmbng_ADlvtHd2YoLpkBDFhFjRmfBwMR",
        "zKZAqEEmbng_ADlvtHd2YoLpkBDFhFjRmfBwM",
    ),
    format(
        "grafana-cloud-token",
        "A Grafana Cloud token.",
        &["glc_"],
        &[Of(B64E, 32, 400)],
        "k7xbO00elFsvtSrAzCQia9e/QiizgU0l",
        "k7xbO00elFsvtSrAzCQia9e/QiizgU0",
    ),
    format(
        "grafana-service-token",
        "A Grafana service account token.",
        &["glsa_"],
        &[Of(ALNUM, 32, 32), Is("_"), Of(ANYHEX, 8, 8)],
        "PTwLkZ9FRXVFiq1S7t5dVD1YZRLkBy0O_A9CBEE32",
        "PTwLkZ9FRXVFiq1S7t5dVD1YZRLkBy0O_A9CBEE3",
    ),
    format(
        "grafana-key",
        "A Grafana key.",
        &["eyJrIjoi"],
        &[Of(B64E, 70, 400)],
        "GDEz6E/gYYRWZlDR2NaM+co810M6sQBkTY7eLQlIx40EpBfWxXIQtUvCSYN/OyuYbawnF6",
        "GDEz6E/gYYRWZlDR2NaM+co810M6sQBkTY7eLQlIx40EpBfWxXIQtUvCSYN/OyuYbawnF",
    ),
    format(
        "harness-token",
        "A Harness token.",
        &["pat.", "sat."],
        &[Of(URL, 22, 22), Is("."), Of(ALNUM, 24, 24), Is("."), Of(ALNUM, 20, 20)],
        "GTmWrG1jQ4ILUNWh--Uchp.JyCtWG5jUMVDc8uEia875rjm.L6KGczlVLPrOWpsXIbAJ",
        "GTmWrG1jQ4ILUNWh--Uchp.JyCtWG5jUMVDc8uEia875rjm.L6KGczlVLPrOWpsXIbA",
    ),
    format(
        "heroku-key",
        "A Heroku key.",
        &["HRKU-AA"],
        &[Of(URL, 50, 64)],
        "0kW-UJPu-gSrzhuNvNgMXUxIN8zP4ZnHUYOX8IoA50uOftJ80j",
        "0kW-UJPu-gSrzhuNvNgMXUxIN8zP4ZnHUYOX8IoA50uOftJ80",
    ),
    format(
        "heroku-uuid-key",
        "A Heroku key.",
        &["HRKU-"],
        &[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ],
        "8cbc938e-019b-b872-3d39-553ccaccfab5",
        "8cbc938e-019b-b872-3d39-553ccaccfab",
    ),
    format(
        "vault-token",
        "A Vault service token.",
        &["hvs."],
        &[Of(URL, 24, 200)],
        "s0KrBRi0iaE3ZBJqtCEpKeWK",
        "s0KrBRi0iaE3ZBJqtCEpKeW",
    ),
    format(
        "vault-batch-token",
        "A Vault batch token.",
        &["hvb."],
        &[Of(URL, 100, 300)],
        "qXJiIBCNmUkUcjpPBa6r5Jh5ef7o9CLRQDBAKdCwdI2ViJloZX0ChVQGj9r366yRyoZvKyjc4zzHzLcciTA1bHTuOTNnfwT1d6nR",
        "qXJiIBCNmUkUcjpPBa6r5Jh5ef7o9CLRQDBAKdCwdI2ViJloZX0ChVQGj9r366yRyoZvKyjc4zzHzLcciTA1bHTuOTNnfwT1d6n",
    ),
    format(
        "vault-recovery-token",
        "A Vault recovery token.",
        &["hvr."],
        &[Of(URL, 24, 200)],
        "ntU8_kRO8qnGXATGcyJ3Xu3r",
        "ntU8_kRO8qnGXATGcyJ3Xu3",
    ),
    format(
        "infracost-key",
        "An Infracost key.",
        &["ico-"],
        &[Of(ALNUM, 32, 32)],
        "iahnULIyba01YfDXcn4KI6e2uvNJ4DFX",
        "iahnULIyba01YfDXcn4KI6e2uvNJ4DF",
    ),
    format(
        "intra42-secret",
        "A 42 Intra client secret.",
        &["s-s4t2ud-", "s-s4t2af-", "u-s4t2ud-"],
        &[Of(HEX, 64, 64)],
        "6076bc3346eee21f5c7ff43fc2770c7173601e1c771d814e0f33545a3c020221",
        "6076bc3346eee21f5c7ff43fc2770c7173601e1c771d814e0f33545a3c02022",
    ),
    format(
        "linear-key",
        "A Linear key.",
        &["lin_api_"],
        &[Of(ALNUM, 40, 40)],
        "QINsDzQaJVnbl1GZ1DnhTPVnQBhNfIHwRgfUp242",
        "QINsDzQaJVnbl1GZ1DnhTPVnQBhNfIHwRgfUp24",
    ),
    format(
        "linear-oauth-token",
        "A Linear OAuth token.",
        &["lin_oauth_"],
        &[Of(HEX, 64, 64)],
        "32b89994fa6022136ced620104d159e8489b0ac35e5fa870d0a7ba07a2531ada",
        "32b89994fa6022136ced620104d159e8489b0ac35e5fa870d0a7ba07a2531ad",
    ),
    format(
        "new-relic-user-key",
        "A New Relic user key.",
        &["NRAK-"],
        &[Of(ALNUM, 27, 27)],
        "xeIh9DknHdPQIp86A76HSX9OfPn",
        "xeIh9DknHdPQIp86A76HSX9OfP",
    ),
    format(
        "new-relic-insert-key",
        "A New Relic insert key.",
        &["NRII-"],
        &[Of(URL, 32, 32)],
        "BKbH3pw4vKYFRGdlAHsiiYMjiibjUjso",
        "BKbH3pw4vKYFRGdlAHsiiYMjiibjUjs",
    ),
    format(
        "new-relic-browser-key",
        "A New Relic browser key.",
        &["NRJS-"],
        &[Of(HEX, 19, 19)],
        "f8e5389cd5e3eaa60c7",
        "f8e5389cd5e3eaa60c",
    ),
    format(
        "new-relic-admin-key",
        "A New Relic admin key.",
        &["NRAA-"],
        &[Of(HEX, 27, 27)],
        "36ba80622598514f31c82712908",
        "36ba80622598514f31c8271290",
    ),
    format(
        "notion-token",
        "A Notion token.",
        &["ntn_"],
        &[Of(DIGIT, 11, 11), Of(ALNUM, 32, 40)],
        "25582254552HQh3p6YksWy7WboPm4oWy2xpP5Eq3adg",
        "25582254552HQh3p6YksWy7WboPm4oWy2xpP5Eq3ad",
    ),
    format(
        "notion-old-token",
        "A Notion token of the older kind.",
        &["secret_"],
        &[Of(ALNUM, 43, 43)],
        "Qy1xpsbECFhhDJTFfzhFE7l6oBCdhmerxCEp7vJdeGo",
        "Qy1xpsbECFhhDJTFfzhFE7l6oBCdhmerxCEp7vJdeG",
    ),
    format(
        "octopus-key",
        "An Octopus Deploy key.",
        &["API-"],
        &[Of(UPPER, 25, 27)],
        "4NYHD17DP7K6UNGF4Q33IE2UG",
        "4NYHD17DP7K6UNGF4Q33IE2U",
    ),
    format(
        "openshift-token",
        "An OpenShift token.",
        &["sha256~"],
        &[Of(URL, 43, 43)],
        "AJUip89Gxbd8eD-rUsXPfVxDc6k5BeK4ryMOziZdvbU",
        "AJUip89Gxbd8eD-rUsXPfVxDc6k5BeK4ryMOziZdvb",
    ),
    format(
        "plaid-token",
        "A Plaid access token.",
        &["access-sandbox-", "access-development-", "access-production-"],
        &[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ],
        "f72fbf66-6f69-e87a-1d5a-d0b57048efc4",
        "f72fbf66-6f69-e87a-1d5a-d0b57048efc",
    ),
    format(
        "planetscale-token",
        "A PlanetScale secret.",
        &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"],
        &[Of(DOTTED, 32, 64)],
        "HEpJ1trrPhvD2vk50GCtI0mg3ncLjKwr",
        "HEpJ1trrPhvD2vk50GCtI0mg3ncLjKw",
    ),
    format(
        "postman-key",
        "A Postman key.",
        &["PMAK-"],
        &[Of(HEX, 24, 24), Is("-"), Of(HEX, 34, 34)],
        "d2c93e7fb6d28c587db821f6-a0efa5ea7d26dc47bbcfb4768314cd2fea",
        "d2c93e7fb6d28c587db821f6-a0efa5ea7d26dc47bbcfb4768314cd2fe",
    ),
    format(
        "postman-collection-key",
        "A Postman collection key.",
        &["PMAT-"],
        &[Of(UPPER, 26, 26)],
        "8WW1UL4BKZXHS9NPMXTQKE3CMA",
        "8WW1UL4BKZXHS9NPMXTQKE3CM",
    ),
    format(
        "prefect-key",
        "A Prefect key.",
        &["pnu_", "pnb_"],
        &[Of(ALNUM, 36, 36)],
        "MIAUJrbeZa1lfSpalolq5TYpbbhf7fmjEveH",
        "MIAUJrbeZa1lfSpalolq5TYpbbhf7fmjEve",
    ),
    format(
        "pulumi-token",
        "A Pulumi token.",
        &["pul-"],
        &[Of(HEX, 40, 40)],
        "ba9df8a1285822184aaf4614dc90792f3246ee72",
        "ba9df8a1285822184aaf4614dc90792f3246ee7",
    ),
    format(
        "readme-key",
        "A ReadMe key.",
        &["rdme_"],
        &[Of(LOWER, 70, 70)],
        "41iamng3pq6178vdbobo6sn3mlntqikdo3vtzu7tdufsdu6pjlp3bmuh67x47tegey14eq",
        "41iamng3pq6178vdbobo6sn3mlntqikdo3vtzu7tdufsdu6pjlp3bmuh67x47tegey14e",
    ),
    format(
        "scalingo-token",
        "A Scalingo token.",
        &["tk-us-"],
        &[Of(URL, 48, 48)],
        "C5O91V5Ogn6lJreqi7eMiR3ksYmgeKrnjOu0vEwX2RUpF6ol",
        "C5O91V5Ogn6lJreqi7eMiR3ksYmgeKrnjOu0vEwX2RUpF6o",
    ),
    format(
        "sentry-user-token",
        "A Sentry user token.",
        &["sntryu_"],
        &[Of(HEX, 64, 64)],
        "8cf759ec646f3a708f4aa5a6d107b0811a7a8b9bbcc9370d715498acd947a1b5",
        "8cf759ec646f3a708f4aa5a6d107b0811a7a8b9bbcc9370d715498acd947a1b",
    ),
    format(
        "sentry-organisation-token",
        "A Sentry organisation token.",
        &["sntrys_eyJ"],
        &[Of(B64E, 60, 400), Is("_"), Of(B64E, 43, 43)],
        "Org6R87BRUFimpPddDVji/gz7ZN9WN8OSNTni951bDAAUUpe73dq2lxLTmCh_CU3uWj1zPMQx+bsWvxcoUghAcB7tBst4d2rHJD1B7gl",
        "Org6R87BRUFimpPddDVji/gz7ZN9WN8OSNTni951bDAAUUpe73dq2lxLTmCh_CU3uWj1zPMQx+bsWvxcoUghAcB7tBst4d2rHJD1B7g",
    ),
    format(
        "settlemint-token",
        "A SettleMint token.",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        &[Of(ALNUM, 16, 16)],
        "XaZv5TkVYpIqoH0l",
        "XaZv5TkVYpIqoH0",
    ),
    format(
        "shippo-token",
        "A Shippo token.",
        &["shippo_live_", "shippo_test_"],
        &[Of(ANYHEX, 40, 40)],
        "7D56C3eD68dA1f0e22BFd4ae5E6Bad7675dbDd99",
        "7D56C3eD68dA1f0e22BFd4ae5E6Bad7675dbDd9",
    ),
    format(
        "shopify-token",
        "A Shopify token.",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_", "shpcu_"],
        &[Of(ANYHEX, 32, 32)],
        "5E6e246Ca3A95dfeCff8fA6fCA4A572b",
        "5E6e246Ca3A95dfeCff8fA6fCA4A572",
    ),
    format(
        "sonar-token",
        "A SonarQube token.",
        &["squ_", "sqp_", "sqa_"],
        &[Of(ALNUM, 40, 40)],
        "Sy9ezgwUBvwTS1zPjD31KJac2YUEwGOT6Rz8BNtk",
        "Sy9ezgwUBvwTS1zPjD31KJac2YUEwGOT6Rz8BNt",
    ),
    format(
        "sourcegraph-token",
        "A Sourcegraph token.",
        &["sgp_"],
        &[Of(ANYHEX, 40, 40)],
        "BEF0F4EbFcaCCF7a5BBcE59340Dafef8bA0bBBaE",
        "BEF0F4EbFcaCCF7a5BBcE59340Dafef8bA0bBBa",
    ),
    format(
        "sourcegraph-instance-token",
        "A Sourcegraph instance token.",
        &["sgp_local_"],
        &[Of(ANYHEX, 40, 40)],
        "f3a8cDDC80bc2bEB08a9f5c02661449771d8334B",
        "f3a8cDDC80bc2bEB08a9f5c02661449771d8334",
    ),
    format(
        "square-token",
        "A Square access token.",
        &["sq0atp-"],
        &[Of(URL, 22, 60)],
        "lt3yf-X2lwqMekhupecPvo",
        "lt3yf-X2lwqMekhupecPv",
    ),
    format(
        "square-secret",
        "A Square OAuth secret.",
        &["sq0csp-"],
        &[Of(URL, 40, 50)],
        "7unxzTzUp3PY0G5D9dwvxtSh5e4b54cRYsgs-wXu",
        "7unxzTzUp3PY0G5D9dwvxtSh5e4b54cRYsgs-wX",
    ),
    format(
        "square-production-token",
        "A Square access token.",
        &["EAAA"],
        &[Of(URL, 56, 64)],
        "aaU1yW0Q9uOWyIBaPOHRu_Jk_ft2k1L2alrnWJo34Gk5Vme-MBiHJVA2",
        "aaU1yW0Q9uOWyIBaPOHRu_Jk_ft2k1L2alrnWJo34Gk5Vme-MBiHJVA",
    ),
    format(
        "facebook-token",
        "A Facebook access token.",
        &["EAAC", "EAAM", "EAAG", "EAAB", "EAAI", "EAAD"],
        &[Of(ALNUM, 90, 400)],
        "XKSZPWrDP3uzR8SE9hcV1jZRsdM3IVV8iwO2y2pq0GcCEbff2Y54cnDME4TfUsv17Ml9iP0WhPl1Gqvkk67oE2Yoqq",
        "XKSZPWrDP3uzR8SE9hcV1jZRsdM3IVV8iwO2y2pq0GcCEbff2Y54cnDME4TfUsv17Ml9iP0WhPl1Gqvkk67oE2Yoq",
    ),
    format(
        "supabase-token",
        "A Supabase token.",
        &["sbp_"],
        &[Of(HEX, 40, 40)],
        "17592ce63dfa1c7ef6853ac54fff8b3fa5a3bc34",
        "17592ce63dfa1c7ef6853ac54fff8b3fa5a3bc3",
    ),
    format(
        "supabase-secret-key",
        "A Supabase secret key.",
        &["sb_secret_"],
        &[Of(URL, 31, 40)],
        "EoKmyaIg2lJOb1SxbzwCnApIPXZdi2o",
        "EoKmyaIg2lJOb1SxbzwCnApIPXZdi2",
    ),
    format(
        "svix-key",
        "A Svix key.",
        &["testsk_", "sk_svix_"],
        &[Of(URL, 32, 60)],
        "Is2Ucdg2XuVUrTVGsuuttopuNm-07bhE",
        "Is2Ucdg2XuVUrTVGsuuttopuNm-07bh",
    ),
    format(
        "tailscale-key",
        "A Tailscale key.",
        &["tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-", "tskey-webhook-"],
        &[Of(ALNUM, 8, 24), Is("-"), Of(ALNUM, 20, 40)],
        "Bip7Wap5-0wpXf1ELyBvEWcoQ1dCG",
        "Bip7Wap5-0wpXf1ELyBvEWcoQ1dC",
    ),
    format(
        "telnyx-key",
        "A Telnyx key.",
        &["KEY0"],
        &[Of(ALNUM, 27, 60)],
        "p7cM7lmeqfXvWfvPfBWteGX7CpR",
        "p7cM7lmeqfXvWfvPfBWteGX7Cp",
    ),
    format(
        "typeform-token",
        "A Typeform token.",
        &["tfp_"],
        &[Of(DOTTED, 40, 64)],
        "twN3Pn2vf-puhK.fQgnyZvDA3H6lE7aCYmz0lKUQ",
        "twN3Pn2vf-puhK.fQgnyZvDA3H6lE7aCYmz0lKU",
    ),
    format(
        "vercel-token",
        "A Vercel token.",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        &[Of(ALNUM, 24, 64)],
        "prQQvoczAS2BejfedImq6Ogy",
        "prQQvoczAS2BejfedImq6Og",
    ),
    format(
        "vercel-blob-token",
        "A Vercel blob token.",
        &["vercel_blob_rw_"],
        &[Of(ALNUM, 16, 16), Is("_"), Of(ALNUM, 30, 30)],
        "GRFqmgQ7FKZCse7L_05EijeEBiQRbSlLUcYTYZehZupdoL8",
        "GRFqmgQ7FKZCse7L_05EijeEBiQRbSlLUcYTYZehZupdoL",
    ),
    format(
        "yandex-key",
        "A Yandex Cloud key.",
        &["AQVN"],
        &[Of(URL, 35, 38)],
        "ISvU0Ju44waql3EtHooWlCatfTkNO4zNA9R",
        "ISvU0Ju44waql3EtHooWlCatfTkNO4zNA9",
    ),
    format(
        "yandex-secret-key",
        "A Yandex Cloud static key.",
        &["YCAJE", "YCM"],
        &[Of(URL, 22, 40)],
        "qVTCJqc13xfLJp5V8FWLLZ",
        "qVTCJqc13xfLJp5V8FWLL",
    ),
    format(
        "zapier-webhook",
        "A Zapier webhook address.",
        &["hooks.zapier.com/hooks/catch/"],
        &[Of(PATH, 12, 60)],
        "eG9PB5TN6UlU",
        "eG9PB5TN6Ul",
    ),
    format(
        "discord-webhook",
        "A Discord webhook address.",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[Of(DIGIT, 17, 20), Is("/"), Of(URL, 60, 80)],
        "33645048055606984/DRR8nx_nVzI_fqR14K1tOtxuTJhFQewg22ytVpoI4YGcYXxWbVoPQqeyAcDL",
        "33645048055606984/DRR8nx_nVzI_fqR14K1tOtxuTJhFQewg22ytVpoI4YGcYXxWbVoPQqeyAcD",
    ),
    format(
        "teams-webhook",
        "A Microsoft Teams webhook address.",
        &[".webhook.office.com/webhookb2/"],
        &[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
            Is("@"),
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
            Is("/IncomingWebhook/"),
            Of(ALNUM, 32, 32),
        ],
        "3677fa31-a2e3-76e9-db07-3ac7d7a7c198@ffe01ce7-5fc5-38e2-9e60-2225b0dde9bb/IncomingWebhook/TkgGHFhxs3Ino4yw2vMNJKrsWfN9Tx1h",
        "3677fa31-a2e3-76e9-db07-3ac7d7a7c198@ffe01ce7-5fc5-38e2-9e60-2225b0dde9bb/IncomingWebhook/TkgGHFhxs3Ino4yw2vMNJKrsWfN9Tx1",
    ),
    format(
        "atlassian-token",
        "An Atlassian token.",
        &["ATATT3"],
        &[Of(DOTTED, 150, 250)],
        "UPrQoRu1cUCZauz5UZHDw6vVhdWCPZf-8zwiwxH.rvOLr9orJNMzC4OqU-5vhnkesIiwccD4l6ExzORdqRVijcpguLJMlA4JahKDNl9sW7W6zCJIFrNYfCmB4V7S._dTZAuS-Zut2x8.AzFTmHJSp9",
        "UPrQoRu1cUCZauz5UZHDw6vVhdWCPZf-8zwiwxH.rvOLr9orJNMzC4OqU-5vhnkesIiwccD4l6ExzORdqRVijcpguLJMlA4JahKDNl9sW7W6zCJIFrNYfCmB4V7S._dTZAuS-Zut2x8.AzFTmHJSp",
    ),
    format(
        "atlassian-admin-token",
        "An Atlassian administration token.",
        &["ATCTT3xFfG", "ATSTT3xFfG"],
        &[Of(DOTTED, 100, 250)],
        "KWBO3aMGrqvLm3733ymt0wtOC3XJtmxyu8y4._mcz4en3BNDwSVn9iuNtGmhgzFAkGGlH_xGaM7CVF0oCboQn5_cCASeOX0YCN1j",
        "KWBO3aMGrqvLm3733ymt0wtOC3XJtmxyu8y4._mcz4en3BNDwSVn9iuNtGmhgzFAkGGlH_xGaM7CVF0oCboQn5_cCASeOX0YCN1",
    ),
    format(
        "bitbucket-token",
        "A Bitbucket app password.",
        &["ATBB"],
        &[Of(ALNUM, 32, 32)],
        "N8ZGVCRBLXH1WErl0A550AnQdJnD8K5p",
        "N8ZGVCRBLXH1WErl0A550AnQdJnD8K5",
    ),
    format(
        "confluent-secret",
        "A Confluent secret.",
        &["cflt"],
        &[Of(B64E, 60, 60)],
        "pkV3bbH+uy8qM3AsYaLcW4PDRiqgkKfLNuoliMdVwY1pp7M+4Xn3DWzP9WYJ",
        "pkV3bbH+uy8qM3AsYaLcW4PDRiqgkKfLNuoliMdVwY1pp7M+4Xn3DWzP9WY",
    ),
    format(
        "artifactory-key",
        "An Artifactory key.",
        &["AKCp"],
        &[Of(ALNUM, 55, 73)],
        "1hLcPCq37mjCyWNrxjMHkBj8r51phJbAfcNCQ6Yt6LCTWeg7ZgztGT0",
        "1hLcPCq37mjCyWNrxjMHkBj8r51phJbAfcNCQ6Yt6LCTWeg7ZgztGT",
    ),
    format(
        "artifactory-reference-token",
        "An Artifactory reference token.",
        &["cmVmd"],
        &[Of(ALNUM, 56, 64)],
        "bZyxiZEfbbjGoOf0fJmMHeis0ACqLpu19dKVgI8QAtMd3hgBeKSnL1U3",
        "bZyxiZEfbbjGoOf0fJmMHeis0ACqLpu19dKVgI8QAtMd3hgBeKSnL1U",
    ),
    format(
        "adobe-secret",
        "An Adobe client secret.",
        &["p8e-"],
        &[Of(URL, 32, 32)],
        "J-Lx3cK6PMJkm-RDVoOLNVF0JE37GArq",
        "J-Lx3cK6PMJkm-RDVoOLNVF0JE37GAr",
    ),
    format(
        "airtable-token",
        "An Airtable token.",
        &["pat"],
        &[Of(ALNUM, 14, 14), Is("."), Of(HEX, 64, 64)],
        "ZZJafq3TlxqSN7.6ce53935fd16ccd6b9ccc6c4ae12725b8efa9b555246fa3447a99286c0d7ce0e",
        "ZZJafq3TlxqSN7.6ce53935fd16ccd6b9ccc6c4ae12725b8efa9b555246fa3447a99286c0d7ce0",
    ),
    format(
        "asana-token",
        "An Asana token.",
        &["1/"],
        &[Of(DIGIT, 13, 20), Is(":"), Of(HEX, 32, 32)],
        "6013643091769:27e961b130f4c4e8bc562ad69a1b31a8",
        "6013643091769:27e961b130f4c4e8bc562ad69a1b31a",
    ),
    format(
        "asana-workspace-token",
        "An Asana token.",
        &["2/"],
        &[Of(DIGIT, 13, 20), Is("/"), Of(DIGIT, 13, 20), Is(":"), Of(HEX, 32, 32)],
        "4468777795192/1323237535770:515e22e00fd2d741d7a9fdc10a1d67a0",
        "4468777795192/1323237535770:515e22e00fd2d741d7a9fdc10a1d67a",
    ),
    format(
        "clickup-token",
        "A ClickUp token.",
        &["pk_"],
        &[Of(DIGIT, 7, 10), Is("_"), Of(UPPER, 32, 32)],
        "0106775_GYUAYQ0E587YG5GZG516BH4TC0RA4PW3",
        "0106775_GYUAYQ0E587YG5GZG516BH4TC0RA4PW",
    ),
    format(
        "clickhouse-key",
        "A ClickHouse Cloud key.",
        &["4b1d"],
        &[Of(ALNUM, 38, 38)],
        "ygsOWMNdvtIp70Kz64KZQbBD4JOUL9jNUEtO5I",
        "ygsOWMNdvtIp70Kz64KZQbBD4JOUL9jNUEtO5",
    ),
    format(
        "contentful-token",
        "A Contentful management token.",
        &["CFPAT-"],
        &[Of(URL, 43, 43)],
        "fLbsPhFdvHEWCPsmF4XSt5wKVcI-gpuaYiPQjtWrMfp",
        "fLbsPhFdvHEWCPsmF4XSt5wKVcI-gpuaYiPQjtWrMf",
    ),
    format(
        "cloudflare-origin-key",
        "A Cloudflare origin key.",
        &["v1.0-"],
        &[Of(HEX, 24, 24), Is("-"), Of(HEX, 146, 146)],
        "e4f3649701835ea45ac4e885-4b47036909a39e5e32bc556202c247e1de30ca67dbeb4c29d9936dae96f9c23e2ed8f8c375d60fcac32c49d49aee9f4580d08fb6d0ed62279c6dbedbc37293edbd57da8cafe1f6151b",
        "e4f3649701835ea45ac4e885-4b47036909a39e5e32bc556202c247e1de30ca67dbeb4c29d9936dae96f9c23e2ed8f8c375d60fcac32c49d49aee9f4580d08fb6d0ed62279c6dbedbc37293edbd57da8cafe1f6151",
    ),
    format(
        "cloudflare-token",
        "A Cloudflare token.",
        &["cfut_", "cfat_", "cfk_"],
        &[Of(ALNUM, 36, 60)],
        "tYf4npFXtC5IAIecUelQnSfyj6H0VtxejJuP",
        "tYf4npFXtC5IAIecUelQnSfyj6H0VtxejJu",
    ),
    format(
        "datadog-application-key",
        "A Datadog application key.",
        &["ddapp_"],
        &[Of(ALNUM, 34, 34)],
        "BohcfFuc3VzOUrxCorlDlk0WD8T5wWZiMT",
        "BohcfFuc3VzOUrxCorlDlk0WD8T5wWZiM",
    ),
    format(
        "datadog-personal-token",
        "A Datadog personal token.",
        &["ddpat_"],
        &[Of(ALNUM, 22, 22), Is("_"), Of(ALNUM, 30, 50)],
        "PZzWJemtxRrIpOZgJvyoN1_uaaCS3BYOUxtFoKTotnUOwJWEKw0S6",
        "PZzWJemtxRrIpOZgJvyoN1_uaaCS3BYOUxtFoKTotnUOwJWEKw0S",
    ),
    format(
        "dropbox-token",
        "A Dropbox token.",
        &["sl."],
        &[Of(URL, 130, 1500)],
        "WkbdXO-A3A_e8BP8aHLr4AK_xzNYRcmLSysw0KoVsmMG0I6KRGbCQDPz3HRdNKbIrBUoVRpx2Gl5-NUfR1Hx8-QrFHmEFFezEq-S-VhyD28yfRfkJSp_twmtWqMBQ8k9RY",
        "WkbdXO-A3A_e8BP8aHLr4AK_xzNYRcmLSysw0KoVsmMG0I6KRGbCQDPz3HRdNKbIrBUoVRpx2Gl5-NUfR1Hx8-QrFHmEFFezEq-S-VhyD28yfRfkJSp_twmtWqMBQ8k9R",
    ),
    format(
        "netlify-token",
        "A Netlify token.",
        &["nfp_", "nfc_", "nfo_"],
        &[Of(ALNUM, 36, 40)],
        "n9Xwb9F5FmmIG8hS2DX9VoMWgv9jgmYJUPux",
        "n9Xwb9F5FmmIG8hS2DX9VoMWgv9jgmYJUPu",
    ),
    format(
        "onepassword-key",
        "A 1Password secret key.",
        &["A3-"],
        &[
            Of(UPPER, 6, 6),
            Is("-"),
            Of(UPPER, 6, 6),
            Is("-"),
            Of(UPPER, 5, 5),
            Is("-"),
            Of(UPPER, 5, 5),
            Is("-"),
            Of(UPPER, 5, 5),
            Is("-"),
            Of(UPPER, 5, 5),
        ],
        "F0G8CT-Y34RVT-8BM5L-FNW1M-EF7CI-B752Q",
        "F0G8CT-Y34RVT-8BM5L-FNW1M-EF7CI-B752",
    ),
    format(
        "onepassword-short-key",
        "A 1Password secret key.",
        &["A3-"],
        &[
            Of(UPPER, 6, 6),
            Is("-"),
            Of(UPPER, 11, 11),
            Is("-"),
            Of(UPPER, 5, 5),
            Is("-"),
            Of(UPPER, 5, 5),
            Is("-"),
            Of(UPPER, 5, 5),
        ],
        "RB0R7C-RI3NNPJBRI5-0XA10-D6G5C-ZI55L",
        "RB0R7C-RI3NNPJBRI5-0XA10-D6G5C-ZI55",
    ),
    format(
        "onepassword-service-token",
        "A 1Password service account token.",
        &["ops_eyJ"],
        &[Of(B64E, 200, 2000)],
        "sZq1JIkEo6UmxBrclQDODpg1xel99B0MAs78vfSAQpA4npQsgIa/1gqQ21i3EUYs2HVMl4cPoY/5wpUeEbtgK7PhEE5G84XoDxUoS6sh2Bi48qmb10FpD4RBPl4xQiPcoG0wRe5pPAvNtIGJ5tLH4Bvy4qBQwYNZ8YtUg2GwQAWIrqU6ArwRHa3xiHlBnL/PFLJSgofc",
        "sZq1JIkEo6UmxBrclQDODpg1xel99B0MAs78vfSAQpA4npQsgIa/1gqQ21i3EUYs2HVMl4cPoY/5wpUeEbtgK7PhEE5G84XoDxUoS6sh2Bi48qmb10FpD4RBPl4xQiPcoG0wRe5pPAvNtIGJ5tLH4Bvy4qBQwYNZ8YtUg2GwQAWIrqU6ArwRHa3xiHlBnL/PFLJSgof",
    ),
    format(
        "age-key",
        "An age secret key.",
        &["AGE-SECRET-KEY-1"],
        &[Of(BECH, 58, 58)],
        "2S9MV0L4AZNS8EKNXV5J339WZ9CKTM4302JT8TP0H7G6A2ZH9P5FPRTGNJ",
        "2S9MV0L4AZNS8EKNXV5J339WZ9CKTM4302JT8TP0H7G6A2ZH9P5FPRTGN",
    ),
    format(
        "buildkite-token",
        "A Buildkite token.",
        &["bkua_", "bkct_", "bkaj_"],
        &[Of(HEX, 40, 40)],
        "35d49a54e5ec549c4a7cb2ae33834aad0335d8a1",
        "35d49a54e5ec549c4a7cb2ae33834aad0335d8a",
    ),
    format(
        "circleci-token",
        "A CircleCI token.",
        &["CCIPAT_", "CCIPRJ_"],
        &[Of(ALNUM, 20, 24), Is("_"), Of(HEX, 40, 40)],
        "jVWrShxwvPj71DDPZcvt_a3a1bcbbe842926d1195d24734e0717074c45cf8",
        "jVWrShxwvPj71DDPZcvt_a3a1bcbbe842926d1195d24734e0717074c45cf",
    ),
    format(
        "defined-networking-token",
        "A Defined Networking token.",
        &["dnkey-"],
        &[Of(URL, 78, 80)],
        "aDOM_eU3q5qQa_tbR9YVd-fp8jlZPDH5k44NS_B3j0pSq2AECECRcZJKhb1MXMv867KZfm7Pxd_wDI",
        "aDOM_eU3q5qQa_tbR9YVd-fp8jlZPDH5k44NS_B3j0pSq2AECECRcZJKhb1MXMv867KZfm7Pxd_wD",
    ),
    format(
        "hubspot-token",
        "A HubSpot private app token.",
        &["pat-na1-", "pat-na2-", "pat-eu1-"],
        &[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ],
        "b3a0bbc3-aaa9-4502-ea73-0b6d8a8028b2",
        "b3a0bbc3-aaa9-4502-ea73-0b6d8a8028b",
    ),
    format(
        "ionic-token",
        "An Ionic token.",
        &["ion_"],
        &[Of(LOWER, 42, 42)],
        "9yqbw0bsqbxddp973gve8qwgje32pl8r7v4q09mfb8",
        "9yqbw0bsqbxddp973gve8qwgje32pl8r7v4q09mfb",
    ),
    format(
        "lob-key",
        "A Lob key.",
        &["live_pub_", "live_", "test_"],
        &[Of(HEX, 35, 35)],
        "14ea5dd9d602448e500ba01d8773e627377",
        "14ea5dd9d602448e500ba01d8773e62737",
    ),
    format(
        "mapbox-secret-token",
        "A secret Mapbox token.",
        &["sk.eyJ"],
        &[Of(B64, 60, 120), Is("."), Of(URL, 22, 22)],
        "m4oP3O8uZ8uPW5xmm5/njEVqk088Wr2/x7KmuQVCEF5Y/3sADSQijNp8x77a.Zje3ydqzS0PATyHzaFPheM",
        "m4oP3O8uZ8uPW5xmm5/njEVqk088Wr2/x7KmuQVCEF5Y/3sADSQijNp8x77a.Zje3ydqzS0PATyHzaFPhe",
    ),
    format(
        "neon-key",
        "A Neon key.",
        &["napi_"],
        &[Of(LOWER, 60, 70)],
        "agby702wb2jck3ur83bsvwbee2a70h4fhrayf87pzohua70k7aflooluvzdw",
        "agby702wb2jck3ur83bsvwbee2a70h4fhrayf87pzohua70k7aflooluvzd",
    ),
    format(
        "paypal-braintree-token",
        "A Braintree access token.",
        &["access_token$production$", "access_token$sandbox$"],
        &[Of(LOWER, 16, 16), Is("$"), Of(HEX, 32, 32)],
        "1i65mt7amv0n2otc$ac7dc223393f1216147dc78b4ae5e8e1",
        "1i65mt7amv0n2otc$ac7dc223393f1216147dc78b4ae5e8e",
    ),
    format(
        "polar-token",
        "A Polar token.",
        &["polar_oat_", "polar_pat_"],
        &[Of(URL, 40, 50)],
        "MBD9MUaqjoCqcu-uaHUWA9aHFPr1HUPPscN-aDk8",
        "MBD9MUaqjoCqcu-uaHUWA9aHFPr1HUPPscN-aDk",
    ),
    format(
        "posthog-key",
        "A PostHog personal key.",
        &["phx_"],
        &[Of(ALNUM, 40, 50)],
        "DQn10E5ih8GDJhaulNIRmOMNZyHeQbm1K325te4X",
        "DQn10E5ih8GDJhaulNIRmOMNZyHeQbm1K325te4",
    ),
    format(
        "rapyd-key",
        "A Rapyd secret key.",
        &["rsk_"],
        &[Of(HEX, 90, 130)],
        "35eb36c868c3d78cd3d5548446f56754c2fba27200323b7dabcd519665ce7df72fdd89d8f1efb0f5993ff225ee",
        "35eb36c868c3d78cd3d5548446f56754c2fba27200323b7dabcd519665ce7df72fdd89d8f1efb0f5993ff225e",
    ),
    format(
        "razorpay-key",
        "A Razorpay key.",
        &["rzp_live_"],
        &[Of(ALNUM, 14, 14)],
        "xsjwXuuVAFMY0a",
        "xsjwXuuVAFMY0",
    ),
    format(
        "segment-token",
        "A Segment token.",
        &["sgp_"],
        &[Of(ALNUM, 64, 64)],
        "ji9n5xozvyi9KCLKH9cPLM11pvScU9jILKe5VtxAPFsy6GxmrH5ooFrlFVJh8nEY",
        "ji9n5xozvyi9KCLKH9cPLM11pvScU9jILKe5VtxAPFsy6GxmrH5ooFrlFVJh8nE",
    ),
    format(
        "snyk-token",
        "A Snyk token.",
        &["snyk_uat.", "snyk_sat."],
        &[Of(DOTTED, 40, 120)],
        "j1.GjpmT-C8k9VGt-qguz-tC9I7anYHEKnLgGvEr",
        "j1.GjpmT-C8k9VGt-qguz-tC9I7anYHEKnLgGvE",
    ),
    format(
        "stytch-secret",
        "A Stytch secret.",
        &["secret-live-", "secret-test-"],
        &[Of(URL, 36, 36)],
        "6r8bsASNKgO7iDXG5tGorFB5vnO6PWxxtJZb",
        "6r8bsASNKgO7iDXG5tGorFB5vnO6PWxxtJZ",
    ),
    format(
        "samsara-token",
        "A Samsara token.",
        &["samsara_api_"],
        &[Of(ALNUM, 30, 30)],
        "XNEgeWfB7koV4gopdufPeXy9HwgTSc",
        "XNEgeWfB7koV4gopdufPeXy9HwgTS",
    ),
    format(
        "thunderstore-token",
        "A Thunderstore token.",
        &["tss_"],
        &[Of(ALNUM, 37, 37)],
        "0HiIGgELVC1uf1uSfhzgvdpqMOJ9dv3whOYZW",
        "0HiIGgELVC1uf1uSfhzgvdpqMOJ9dv3whOYZ",
    ),
    format(
        "vault-old-token",
        "A Vault token of the older kind.",
        &["s."],
        &[Of(ALNUM, 24, 24)],
        "0E9pMFhnnSiaNiNX2Sa9aelq",
        "0E9pMFhnnSiaNiNX2Sa9ael",
    ),
    format(
        "zuplo-key",
        "A Zuplo key.",
        &["zpka_", "zpcli_"],
        &[Of(HEX, 32, 32), Is("_"), Of(HEX, 8, 8)],
        "8633a7056d1337512398ccbf172e1bde_cd51af04",
        "8633a7056d1337512398ccbf172e1bde_cd51af0",
    ),
    format(
        "aiven-token",
        "An Aiven service password.",
        &["AVNS_"],
        &[Of(URL, 19, 19)],
        "cHO-7lKoGqdCX-ETQGr",
        "cHO-7lKoGqdCX-ETQG",
    ),
    format(
        "authress-key",
        "An Authress access key.",
        &["sc_", "ext_", "scauth_", "authress_"],
        &[Of(LOWER, 5, 30), Is("."), Of(LOWER, 4, 6), Is(".acc"), Of(DOTTED, 20, 150)],
        "txpte.bbtv.acc4HMuWUDl6noBGeM__18c",
        "txpte.bbtv.acc4HMuWUDl6noBGeM__18",
    ),
    format(
        "apify-token",
        "An Apify token.",
        &["apify_api_"],
        &[Of(ALNUM, 34, 40)],
        "HwscDd78Fzauw9mfNbGJEw7pWkfzbxSyMg",
        "HwscDd78Fzauw9mfNbGJEw7pWkfzbxSyM",
    ),
    format(
        "browserbase-key",
        "A Browserbase key.",
        &["bb_live_"],
        &[Of(URL, 24, 30)],
        "feX5csfSplvylI70RsxTapi4",
        "feX5csfSplvylI70RsxTapi",
    ),
    format(
        "e2b-key",
        "An E2B key.",
        &["e2b_"],
        &[Of(HEX, 40, 40)],
        "3a5a4e16432cbf2a54fa897e8d97559fbc28f189",
        "3a5a4e16432cbf2a54fa897e8d97559fbc28f18",
    ),
    format(
        "mergify-key",
        "A Mergify key.",
        &["mka_"],
        &[Of(ALNUM, 50, 80)],
        "gfgFj3XudT8NBEZQnHLleSEiQts2hK0G1TDFiy8JPbRwycqG6e",
        "gfgFj3XudT8NBEZQnHLleSEiQts2hK0G1TDFiy8JPbRwycqG6",
    ),
    format(
        "nightfall-key",
        "A Nightfall key.",
        &["NF-"],
        &[Of(ALNUM, 32, 32)],
        "PxkF2psCZhPkMVPrs10I1W21oqaAxxJe",
        "PxkF2psCZhPkMVPrs10I1W21oqaAxxJ",
    ),
    format(
        "private-packagist-token",
        "A Private Packagist token.",
        &["packagist_ack_", "packagist_uut_", "packagist_out_"],
        &[Of(HEX, 60, 80)],
        "8fde21b241f871a0a8633b923e7b81726cd9bba602f26bf0661a54b4b6e5",
        "8fde21b241f871a0a8633b923e7b81726cd9bba602f26bf0661a54b4b6e",
    ),
    format(
        "rootly-token",
        "A Rootly token.",
        &["rootly_"],
        &[Of(HEX, 64, 64)],
        "a2af69f111ea25bcb26ee8f4642cd11d4148d3eddac8164b6b1bb59d6a38fda9",
        "a2af69f111ea25bcb26ee8f4642cd11d4148d3eddac8164b6b1bb59d6a38fda",
    ),
    format(
        "twitter-bearer-token",
        "A Twitter bearer token.",
        &["AAAAAAAAAAAAAAAAAAAAAA"],
        &[Of(PATH, 80, 120)],
        "C6T21kLo9sSxxRDDFx7sGkj-24lU8VojlZiVNV+GcAqi+EV6v3dqyVKIO3r2s-JzpJ2LJfjAtPhkt_%A",
        "C6T21kLo9sSxxRDDFx7sGkj-24lU8VojlZiVNV+GcAqi+EV6v3dqyVKIO3r2s-JzpJ2LJfjAtPhkt_%",
    ),
    format(
        "zoho-token",
        "A Zoho token.",
        &["1000."],
        &[Of(HEX, 32, 32), Is("."), Of(HEX, 32, 32)],
        "c596176412fb3fac1d1cb195c161450c.0573d50df16f263c2e71e5cf2d9e1cb7",
        "c596176412fb3fac1d1cb195c161450c.0573d50df16f263c2e71e5cf2d9e1cb",
    ),
];

/// A token known by something in its middle.
pub struct Anchored {
    /// The rule's name.
    pub id: &'static str,
    /// What it is.
    pub why: &'static str,
    /// What it is known by.
    pub anchor: &'static str,
    /// What stands before that.
    pub before: (Alphabet, usize, usize),
    pub parts: &'static [Part],
    /// A text where it is found, as what stands before and behind the anchor.
    pub hit: (&'static str, &'static str),
    /// The same for a text where it is not.
    pub miss: (&'static str, &'static str),
}

/// Where the token lies that has its anchor at `at`, if there is one.
pub fn around(kind: &Anchored, text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if !text[at..].starts_with(kind.anchor) {
        return None;
    }
    let (alphabet, least, most) = kind.before;
    let before = bytes[..at].iter().rev().take(most + 1).take_while(|&&byte| alphabet.has(byte)).count();
    // What joins it to a name may be of its alphabet, too.
    let joined = |start: usize| matches!(bytes[start - 1], b'-' | b'_') || ends_escape(&bytes[..start]);
    let start = if before > most && joined(at - most) { at - most } else { at.checked_sub(before)? };
    let begins = begins_at(bytes, start) || joined(start) || bytes[..start].ends_with(b"bot");
    if at - start < least || at - start > most || !begins {
        return None;
    }
    let end = match_parts(kind.parts, bytes, at + kind.anchor.len())?;
    (value::is_drawn(&bytes[start..end]) && !value::is_sample(&text[start..end])).then_some((start, end))
}

/// All of these.
pub const ANCHORED: &[Anchored] = &[
    Anchored {
        id: "azure-client-secret",
        why: "An Azure client secret.",
        anchor: "Q~",
        before: (AZURE, 4, 4),
        parts: &[Of(AZURE, 31, 34)],
        hit: ("kT38", "wR5b.nV0qLx-72_hGd9sPzKcEy4MfUjA"),
        miss: ("kT38", "wR5b.nV0qLx"),
    },
    Anchored {
        id: "telegram-bot-token",
        why: "The token of a Telegram bot.",
        anchor: ":AA",
        before: (DIGIT, 8, 10),
        parts: &[Of(URL, 32, 34)],
        hit: ("7302918465", "Gx0qW3vTn5Lk8Yb-2ZrHd_6MfPcJsUe1aO"),
        miss: ("7302918465", "Gx0qW3vTn5Lk8Yb"),
    },
    Anchored {
        id: "mailchimp-key",
        why: "A Mailchimp key.",
        anchor: "-us",
        before: (HEX, 32, 32),
        parts: &[Of(DIGIT, 1, 2)],
        hit: ("9c04be71d2f85a3660e1b7429d8f35ac", "14"),
        miss: ("9c04be71d2f85a3660e1b7429d8f35a", "14"),
    },
    Anchored {
        id: "maxmind-key",
        why: "A MaxMind license key.",
        anchor: "_mmk",
        before: (WORD, 36, 36),
        parts: &[],
        hit: ("Ty7Qx2_hB4kW9vN1zR6dC3mF8sJ5pL0gKuEa", ""),
        miss: ("Ty7Qx2_hB4kW9vN", ""),
    },
    Anchored {
        id: "terraform-token",
        why: "A Terraform Cloud token.",
        anchor: ".atlasv1.",
        before: (ALNUM, 14, 14),
        parts: &[Of(DOTTED, 60, 70)],
        hit: ("hW3kZq8TnB5vLx", "r0Yd6MfPcJsUe1aOg7HiXw2Vt4Kb9NqRzLj5SmEhCpQyGu3TkBvW8xDn0AfIo6"),
        miss: ("hW3kZq8TnB5vLx", "r0Yd6MfPcJsUe1aO"),
    },
    Anchored {
        id: "dropbox-long-token",
        why: "A Dropbox token.",
        anchor: "AAAAAAAAAA",
        before: (ALNUM, 11, 11),
        parts: &[Of(URL, 43, 43)],
        hit: ("q7Zx0Wv3LkT", "b5Nd8RfYh2McPsJe6GgUi9QoXa1VtKw4EzSyHnBpDlC"),
        miss: ("q7Zx0Wv3LkT", "b5Nd8RfYh2McPsJe6GgUi9QoXa1Vt"),
    },
];
