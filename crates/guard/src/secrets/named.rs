//! Keys that look like any other drawn letters, and are known by the name of their maker on the same line.

use super::formats::{
    ALNUM, ANYHEX, B64, B64E, DIGIT, DOTTED, HEX, LOWER, Part, UPPER, URL, WORD, match_parts,
};
use super::value;

use crate::limits::secrets_named::{KEY_WITHIN_BYTES, WORD_WITHIN_BYTES};

/// A kind of key: whose it is, and its shape.
pub struct Named {
    /// The rule's name.
    pub id: &'static str,
    /// What it is, for the person whose text was stopped.
    pub why: &'static str,
    /// The maker's names, in small letters.
    pub words: &'static [&'static str],
    /// The shapes it may have.
    pub shapes: &'static [&'static [Part]],
    /// One key of each shape. A text where it is found has the maker's name, the word "key" and this; one where it is not
    /// has the maker's name and this, or all three and a hash.
    pub keys: &'static [&'static str],
}

/// Where keys lie around the maker's name found at `start..end`, no earlier than `from`. Answers how far it has looked, if it did.
pub fn around(
    kind: &Named,
    text: &str,
    start: usize,
    end: usize,
    from: usize,
    out: &mut Vec<(usize, usize)>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    // Part of another word, unless it begins a hump of camel case.
    let left = start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    if left.is_ascii_alphabetic() && !(left.is_ascii_lowercase() && bytes[start].is_ascii_uppercase()) {
        return None;
    }
    let line_start = line_start(bytes, start, KEY_WITHIN_BYTES).max(from);
    let line_end = line_end(bytes, end, KEY_WITHIN_BYTES);
    let said = &bytes[end..line_end.min(end + WORD_WITHIN_BYTES)];
    let says_key = bytes[start..end].to_ascii_lowercase().ends_with(b"key");
    let says_key = says_key || said.split(|byte| !byte.is_ascii_alphabetic()).any(is_key_word);
    if !says_key && !kind.shapes.iter().any(|shape| is_telling(shape)) {
        return None;
    }
    let shapes = || kind.shapes.iter().filter(|shape| says_key || is_telling(shape));
    let mut at = line_start;
    while at < line_end {
        // A key may begin with a sign of its alphabet, though no name does.
        if !bytes[at].is_ascii_alphanumeric() && !matches!(bytes[at], b'/' | b'+') {
            at += 1;
            continue;
        }
        // The letters of an escape such as `\n` or `%3D` are not the key's.
        if at > 0 && bytes[at - 1] == b'%' && bytes.get(..at + 2).is_some_and(super::formats::ends_escape) {
            at += 2;
            continue;
        }
        let fresh = at == 0 || super::formats::begins_at(bytes, at) || bytes[at - 1] == b'-';
        if fresh && let Some(key_end) = shapes().find_map(|shape| match_parts(shape, bytes, at)) {
            if is_key(text, at, key_end) {
                out.push((at, key_end));
            }
            at = key_end;
            continue;
        }
        at += bytes[at..line_end]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count()
            .max(1);
    }
    Some(line_end)
}

/// Whether a shape has a literal of its own, so that the maker's name is enough.
pub(super) fn is_telling(shape: &[Part]) -> bool {
    shape.iter().any(|part| matches!(part, Part::Is(literal) if !literal.contains(['-', '='])))
}

/// Whether letters of the right shape are a key: drawn, and not said to be a hash, an id or a version.
fn is_key(text: &str, start: usize, end: usize) -> bool {
    let body = &text[start..end];
    let bytes = body.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let hex = bytes.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b':'));
    if !value::is_drawn(bytes)
        || (digits == 0 && !hex)
        || letters == 0
        || value::is_printed(body)
        || value::is_sample(body)
        || is_words(body)
    {
        return false;
    }
    let path = body.contains('/') && value::is_name(body.trim_start_matches('/'));
    !path && !is_hash(text, start, body)
}

/// Joined words, such as the name of a variable or a page, of just that length.
fn is_words(body: &str) -> bool {
    let look = value::Look::at(body);
    look.odd == 0 && look.soft > 0
}

/// Whether what stands before says that hexadecimal digits are a hash or an id.
pub fn is_hash(text: &str, start: usize, body: &str) -> bool {
    if !body.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        return false;
    }
    let from = (0..=start.saturating_sub(16)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let before = text[from..start].to_ascii_lowercase();
    [
        "sha",
        "commit",
        "hash",
        "digest",
        "md5",
        "etag",
        "revision",
        "trace",
        "span_id",
        "checksum",
        "blob",
        "tree",
        "_id",
        " id",
        "uuid",
        "fingerprint",
        "version",
        "build",
    ]
    .iter()
    .any(|word| before.contains(word))
}

fn is_key_word(word: &[u8]) -> bool {
    [
        "key",
        "keys",
        "apikey",
        "token",
        "tokens",
        "secret",
        "secrets",
        "password",
        "passwd",
        "pw",
        "pwd",
        "pass",
        "credential",
        "credentials",
        "creds",
        "auth",
        "accesskey",
        "accountkey",
        "accessid",
        "sharedaccesskey",
        "primarykey",
        "authtoken",
        "clientsecret",
        "secretkey",
        "com",
        "pat",
        "jwt",
    ]
    .iter()
    .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
        || ends_with_key_word(word)
}

/// `apiToken`, `DatadogApiKey`.
fn ends_with_key_word(word: &[u8]) -> bool {
    ["Key", "Token", "Secret", "Password"].iter().any(|known| word.ends_with(known.as_bytes()))
}

/// The beginning of the line, or as far back as `most` bytes.
pub fn line_start(bytes: &[u8], at: usize, most: usize) -> usize {
    let from = at.saturating_sub(most);
    bytes[from..at].iter().rposition(|&byte| byte == b'\n').map_or(from, |found| from + found + 1)
}

/// The end of the line, or as far on as `most` bytes.
pub fn line_end(bytes: &[u8], at: usize, most: usize) -> usize {
    let to = bytes.len().min(at + most);
    bytes[at..to].iter().position(|&byte| byte == b'\n').map_or(to, |found| at + found)
}

use Part::{Is, Of};

const fn named(
    id: &'static str,
    why: &'static str,
    words: &'static [&'static str],
    shapes: &'static [&'static [Part]],
    keys: &'static [&'static str],
) -> Named {
    Named { id, why, words, shapes, keys }
}

/// All of them.
pub const NAMED: &[Named] = &[
    named(
        "adafruit-key",
        "An Adafruit key.",
        &["adafruit"],
        &[&[Of(URL, 32, 32)]],
        &["575yx8xm5MslfY5ubiheyEd7P4zDL-ak"],
    ),
    named(
        "adobe-client-id",
        "The id of an Adobe client.",
        &["adobe"],
        &[&[Of(HEX, 32, 32)]],
        &["e8d28a79023c39c200661fccd268a29a"],
    ),
    named(
        "airtable-key",
        "An Airtable key.",
        &["airtable"],
        &[&[Is("key"), Of(ALNUM, 14, 14)]],
        &["keya9AW7hipTgadDZ"],
    ),
    named(
        "algolia-key",
        "An Algolia key.",
        &["algolia"],
        &[&[Of(LOWER, 32, 32)]],
        &["5l9m26mi0yhz0nartbnlzgcjn2qavsye"],
    ),
    named(
        "alibaba-secret-key",
        "An Alibaba Cloud secret key.",
        &["alibaba", "aliyun"],
        &[&[Of(ALNUM, 30, 30)]],
        &["efnLOpaMxxNDi9LE1Ki3ylOjt6o0Np"],
    ),
    named(
        "asana-secret",
        "An Asana client secret.",
        &["asana"],
        &[&[Of(LOWER, 32, 32)]],
        &["mk9my4f0dggc6qpzq05s7leio49ernnb"],
    ),
    named(
        "atlassian-key",
        "An Atlassian token.",
        &["atlassian", "confluence", "jira"],
        &[&[Of(ALNUM, 24, 24)]],
        &["erACpdclsxHKifxi5CvQUSHL"],
    ),
    named(
        "aws-secret-key",
        "An AWS secret key.",
        &["aws", "amazon", "secret_access_key", "secretaccesskey", "secret access key"],
        &[&[Of(B64, 40, 40)]],
        &["rec8TNecj9iNOrjj5VfqRTk8j1d/bWWbjkloG1QX"],
    ),
    named(
        "auth0-secret",
        "An Auth0 client secret.",
        &["auth0"],
        &[&[Of(URL, 64, 64)]],
        &["647kdNl9cDo-_GbVMszvR4-EPZGz3zBXCOArr-SfiJvo58JB0W-O5PjeJfJTNcrZ"],
    ),
    named(
        "azure-devops-token",
        "An Azure DevOps token.",
        &["azure", "devops"],
        &[&[Of(LOWER, 52, 52)]],
        &["3mbrpjdh2g8xemm4qla48clorw876kzof0yi23may96v3unghnpy"],
    ),
    named(
        "azure-storage-key",
        "The key of an Azure storage account.",
        &["accountkey", "storage"],
        &[&[Of(B64, 86, 86), Is("==")]],
        &["lNPHcSke4R1J+dBi2ewQr8t4/lC4LvGNWAMsI/z0oaWdfZp+lvi60ZIF8/qR38Ony1dHqceytDbKPTF/n/pGz3=="],
    ),
    named(
        "azure-shared-key",
        "A shared access key of Azure.",
        &["sharedaccesskey", "primarykey", "servicebus", "eventhub"],
        &[&[Of(B64, 43, 43), Is("=")]],
        &["cW0uABBrDSxOOyBymrEqlHXm31qzZcmzTUoRyj9nde9="],
    ),
    named(
        "azure-openai-key",
        "An Azure OpenAI key.",
        &["azure", "openai"],
        &[&[Of(HEX, 32, 32)]],
        &["46536559314e23acedbd6b0165debbc6"],
    ),
    named(
        "beamer-token",
        "A Beamer token.",
        &["beamer"],
        &[&[Is("b_"), Of(DOTTED, 44, 44)]],
        &["b_vmbPkZy.RHJouZrQV3xZAxjRM8mbTgDIMRBZxjX-BpYc"],
    ),
    named(
        "bitbucket-secret",
        "A Bitbucket client secret.",
        &["bitbucket"],
        &[&[Of(URL, 64, 64)], &[Of(LOWER, 32, 32)]],
        &[
            "onEG4ZgzWbmHGJR1m4jfXuX8v-h2-1KZNUK9IKLdbFfu0XgOYgOjC29GFfm7sFog",
            "03hndw7jhx2i03q0x7isip4h6t6wrrmr",
        ],
    ),
    named(
        "bittrex-key",
        "A Bittrex key.",
        &["bittrex"],
        &[&[Of(LOWER, 32, 32)]],
        &["pmp6mcdarq1bcgo8refk9px44wnvv5ie"],
    ),
    named(
        "bugsnag-key",
        "A Bugsnag key.",
        &["bugsnag"],
        &[&[Of(HEX, 32, 32)]],
        &["3e6ed8c4b4a95db3ea22dfe9029629fa"],
    ),
    named(
        "circleci-old-token",
        "A CircleCI token.",
        &["circleci", "circle"],
        &[&[Of(HEX, 40, 40)]],
        &["947bab3ae8e9ea7c72bb0bcc6bc4552e9071590d"],
    ),
    named(
        "cloudant-password",
        "A Cloudant password.",
        &["cloudant"],
        &[&[Of(ALNUM, 64, 64)], &[Of(LOWER, 24, 24)]],
        &["eLItYIfvfrVg5ufbOPjgV0PBpToFW6HvWDzwvZ9vRiFFIZUeTN6cAW0Qw2aZy1f4", "38b7xah00jpkykuny17srd4t"],
    ),
    named(
        "cloudflare-key",
        "A Cloudflare key.",
        &["cloudflare"],
        &[&[Of(URL, 40, 40)], &[Of(HEX, 37, 37)]],
        &["oMtwh6c9eOnzxTBE8C4xJZwN9H_ZRl9CZgBrXJhE", "0fbe7d5d5a484814506442b83fe2906d62e61"],
    ),
    named(
        "codeclimate-token",
        "A Code Climate token.",
        &["codeclimate"],
        &[&[Of(HEX, 64, 64)]],
        &["df59a9c29e2b243ce3e0cf793e0649c9ac2866c3a98faec23434556c1e237153"],
    ),
    named(
        "codecov-upload-token",
        "A Codecov token.",
        &["codecov"],
        &[
            &[Of(LOWER, 32, 32)],
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
        ],
        &["10ev16injy4v0azup7bqvmvt2g9yn6vs", "35897b46-6062-47fd-aa2b-49c056de14c3"],
    ),
    named(
        "cohere-key",
        "A Cohere key.",
        &["cohere", "co_api"],
        &[&[Of(ALNUM, 40, 40)]],
        &["KzlvHiqpK7vdPYcUQYjz9FMgEwA5N6SKWAWsF4D1"],
    ),
    named(
        "coinbase-token",
        "A Coinbase token.",
        &["coinbase"],
        &[&[Of(URL, 64, 64)]],
        &["03poQ31dPgL3WPNiFp5FYg8nENYEiV1vC1pjmqp6aLFMdPwi45YsTDfNd6ONP-s8"],
    ),
    named(
        "confluent-key",
        "A Confluent key.",
        &["confluent"],
        &[&[Of(ALNUM, 64, 64)], &[Of(UPPER, 16, 16)]],
        &["4nms27S5dmu12w5EblO4SJmIOpm84dPgtU0u95r3AT4ivS98XCAfko3thTSmrlUp", "6SRX7H7OTLORIF3E"],
    ),
    named(
        "contentful-delivery-token",
        "A Contentful token.",
        &["contentful"],
        &[&[Of(URL, 43, 43)]],
        &["4jfaKG2lvKyFwJdxte7Xa-hxiUP9eLwvo3E4GEH_C-H"],
    ),
    named(
        "datadog-key",
        "A Datadog key.",
        &["datadog", "dd_api", "dd_app"],
        &[&[Of(HEX, 32, 32)], &[Of(LOWER, 40, 40)]],
        &["161e5a40fde802357419d1a8f25c875f", "3du03xnci5ij37cap07jfz9t41ecosqh9p03foxt"],
    ),
    named(
        "deepl-key",
        "A DeepL key.",
        &["deepl"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
            Is(":fx"),
        ]],
        &["a615c1a5-ec6c-c16d-b755-e2ca819c7f16:fx"],
    ),
    named(
        "deepgram-key",
        "A Deepgram key.",
        &["deepgram"],
        &[&[Of(HEX, 40, 40)]],
        &["44169ddf48aec468ec4cb739bb6410f0926b3b78"],
    ),
    named(
        "deepseek-key",
        "A DeepSeek key.",
        &["deepseek"],
        &[&[Is("sk-"), Of(HEX, 32, 32)]],
        &["sk-2d3cf1fca9f875c6f5b72ad4f890c3b2"],
    ),
    named(
        "discord-client-secret",
        "A Discord client secret.",
        &["discord"],
        &[&[Of(URL, 32, 32)], &[Of(HEX, 64, 64)]],
        &[
            "ZIgW-M8PGjdeSPVMHx8XRUdBjg01iJi7",
            "ecc1489fbf046878770c07f2a8b30a6c5655af9bd9bf77ba5422393ef15df1b8",
        ],
    ),
    named(
        "drone-token",
        "A Drone token.",
        &["droneci", "drone"],
        &[&[Of(ALNUM, 32, 32)]],
        &["zGVYSzqTOqxTRulv2Wn1K1iKAPTiNV1r"],
    ),
    named(
        "dropbox-secret",
        "A Dropbox app secret.",
        &["dropbox"],
        &[&[Of(LOWER, 15, 15)]],
        &["kimysola4irr0qz"],
    ),
    named(
        "etherscan-key",
        "An Etherscan key.",
        &["etherscan", "bscscan"],
        &[&[Of(UPPER, 34, 34)]],
        &["YIDKHCMSW8HZVB84KXET2SOZ0JYN8SJ2LG"],
    ),
    named("etsy-token", "An Etsy token.", &["etsy"], &[&[Of(LOWER, 24, 24)]], &["9q51hjubrjrzruof4mx9q9dj"]),
    named(
        "facebook-app-token",
        "A Facebook application token.",
        &["facebook"],
        &[&[Of(DIGIT, 15, 16), Is("|"), Of(URL, 27, 40)]],
        &["8041736295503817|tQ4xWz9LnBv2KpRm6HdYs0GfJcE"],
    ),
    named(
        "facebook-secret",
        "A Facebook app secret.",
        &["facebook"],
        &[&[Of(HEX, 32, 32)]],
        &["209205af46df1dbc1688697e1505328b"],
    ),
    named(
        "fastly-key",
        "A Fastly key.",
        &["fastly"],
        &[&[Of(URL, 32, 32)]],
        &["dNi7bAiUbHF-ZNm9Z0GdbsDPXVJU5TNJ"],
    ),
    named(
        "finicity-secret",
        "A Finicity secret.",
        &["finicity"],
        &[&[Of(LOWER, 20, 20)], &[Of(HEX, 32, 32)]],
        &["eugqvnlndi8tnlwgjjxw", "5d00c1c3a605a23adf7fd582ca5b04c1"],
    ),
    named(
        "finnhub-token",
        "A Finnhub token.",
        &["finnhub"],
        &[&[Of(LOWER, 20, 20)]],
        &["nw216hh3130y6oy8c6c7"],
    ),
    named(
        "flickr-token",
        "A Flickr token.",
        &["flickr"],
        &[&[Of(LOWER, 32, 32)]],
        &["22scduj83vqum49zdi5holjhg6qqelcv"],
    ),
    named(
        "freshbooks-token",
        "A FreshBooks token.",
        &["freshbooks"],
        &[&[Of(LOWER, 64, 64)]],
        &["q7w3n8a1m5rpeg925pe5d9ejxlgvcwosh0lyb35efn8um91yavurnnlik3cirhqw"],
    ),
    named(
        "gitter-token",
        "A Gitter token.",
        &["gitter"],
        &[&[Of(HEX, 40, 40)]],
        &["b96026b9d6428dbd8e433bd7f39392e7fc6d7e2b"],
    ),
    named(
        "gocardless-token",
        "A GoCardless token.",
        &["gocardless"],
        &[&[Is("live_"), Of(DOTTED, 40, 40)]],
        &["live_1QK4ILbFb0VqGX1JRnnm6AlUcVdSct8jUv7.O9hC"],
    ),
    named(
        "heroku-uuid",
        "A Heroku key.",
        &["heroku"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["0cd7312e-c66f-b4c3-2058-0c3f91cd9268"],
    ),
    named(
        "hetzner-token",
        "A Hetzner token.",
        &["hetzner", "hcloud"],
        &[&[Of(ALNUM, 64, 64)]],
        &["IhQ6Av5FnP4J8iKG75gzOtrVMqoxfBYEywPBvChdt1HdkHyJuz0oRgTxcuxE8oHV"],
    ),
    named(
        "honeycomb-key",
        "A Honeycomb key.",
        &["honeycomb"],
        &[&[Of(ALNUM, 22, 22)], &[Of(ALNUM, 32, 32)]],
        &["HFUaxAL9gaSLw9px9MSx1t", "nMWLdulFhHWWwd2fnqLrZY8BP3xzfsKR"],
    ),
    named(
        "hubspot-key",
        "A HubSpot key.",
        &["hubspot"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["32c78a1a-4499-1f1c-24a0-60fda252e4ce"],
    ),
    named(
        "ibm-key",
        "An IBM Cloud key.",
        &["ibm", "bluemix"],
        &[&[Of(URL, 44, 44)], &[Of(HEX, 48, 48)]],
        &["3p4OjoTopYNoBm1PrptJ80e3Wz--3X9nvPzbSuSWX57T", "4fca2f78bd1828c76d25decf3753941b5faf4eb937466b35"],
    ),
    named(
        "infura-key",
        "An Infura key.",
        &["infura"],
        &[&[Of(HEX, 32, 32)]],
        &["65bab39837b05899848f280984c54258"],
    ),
    named(
        "intercom-token",
        "An Intercom token.",
        &["intercom"],
        &[&[Of(DOTTED, 60, 60)]],
        &["Ng2UD95VSB.ISDjojManpyVNTshisd0sj3xlT-zn1r_yk_dlrMGQCItt2c_O"],
    ),
    named(
        "jenkins-token",
        "A Jenkins token.",
        &["jenkins"],
        &[&[Of(HEX, 32, 34)]],
        &["525133990d14520b26c7dba7bc0781ba"],
    ),
    named(
        "jfrog-key",
        "A JFrog key.",
        &["jfrog", "artifactory", "bintray", "xray"],
        &[&[Of(ALNUM, 73, 73)], &[Of(ALNUM, 64, 64)]],
        &[
            "HRwDPp74AlmjnqCEoY6vlpRPNqMHKqK4bltoetGvVUnRcYpIffRWGpCncAJixQwe6e1yiAYQY",
            "ovYny6sJL8VeE06adFcy9eB6kjenk4F9o7uvi7ijZTu8cmpiSRp42U48QDxxUh7r",
        ],
    ),
    named(
        "kraken-token",
        "A Kraken token.",
        &["kraken"],
        &[&[Of(B64E, 80, 90)]],
        &["sjxSgpNPxpJ4HlkCcjNxuQnL96S+7eys8d4ZgKufwZBcdC2/i7dxRbvMfRHV8GOvTs126GQ+Du7KvOEZ"],
    ),
    named(
        "kucoin-key",
        "A KuCoin key.",
        &["kucoin"],
        &[
            &[Of(HEX, 24, 24)],
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
        ],
        &["5a930bf3fc0fc8fe12aff140", "8e12817c-1863-db12-ff49-f9710afc2538"],
    ),
    named(
        "launchdarkly-token",
        "A LaunchDarkly token.",
        &["launchdarkly"],
        &[
            &[Of(URL, 40, 40)],
            &[
                Is("sdk-"),
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
            &[
                Is("api-"),
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
        ],
        &[
            "KXNGxHqh30YaH-_CXTfcu-DDpt3O7IxdInQQgdLM",
            "sdk-e1a386f2-131f-796b-7dac-2a1b9d6d7f23",
            "api-ddfd8d02-6514-58a8-11e1-d3f681208ee4",
        ],
    ),
    named(
        "linear-secret",
        "A Linear client secret.",
        &["linear"],
        &[&[Of(HEX, 32, 32)]],
        &["df7c7d12471fc0c2ce367fa3a907dc68"],
    ),
    named(
        "linkedin-secret",
        "A LinkedIn client secret.",
        &["linkedin", "linked_in", "linked-in"],
        &[&[Of(ALNUM, 16, 16)]],
        &["bA3tNXfDVEO4JDQy"],
    ),
    named(
        "linode-token",
        "A Linode token.",
        &["linode"],
        &[&[Of(HEX, 64, 64)]],
        &["c2797ed6972ac0dbd82c7c96d1f16c2abf88d504a08afa5ff9d431eee09bd120"],
    ),
    named(
        "mailgun-signing-key",
        "A Mailgun signing key.",
        &["mailgun"],
        &[&[Of(HEX, 32, 32), Is("-"), Of(HEX, 8, 8), Is("-"), Of(HEX, 8, 8)], &[Of(HEX, 32, 32)]],
        &["95b6c84b0bcc497650320680f109a6ba-a6fa0e9b-77a4aed5", "55fbb6a7fb17f1203a1bfc23d05814a1"],
    ),
    named(
        "mailjet-key",
        "A Mailjet key.",
        &["mailjet"],
        &[&[Of(HEX, 32, 32)]],
        &["e970b7b0799800b9d585353f69e7dcb8"],
    ),
    named(
        "mandrill-key",
        "A Mandrill key.",
        &["mandrill"],
        &[&[Of(URL, 22, 22)]],
        &["74CKcLMYef6KyV7V6lYDyj"],
    ),
    named(
        "mattermost-token",
        "A Mattermost token.",
        &["mattermost"],
        &[&[Of(LOWER, 26, 26)]],
        &["hp8v8169tcs7we8hajyh2918dl"],
    ),
    named(
        "meraki-key",
        "A Meraki key.",
        &["meraki"],
        &[&[Of(HEX, 40, 40)]],
        &["2e7f6ea0076279a53586751b14605fa85a3019c8"],
    ),
    named(
        "messagebird-token",
        "A MessageBird token.",
        &["messagebird", "message_bird", "message-bird"],
        &[
            &[Of(LOWER, 25, 25)],
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
        ],
        &["yl05cprrmfeqlpyshyu5ad05y", "38130bba-c456-0f7e-6f12-a137956e3d62"],
    ),
    named(
        "mistral-key",
        "A Mistral key.",
        &["mistral"],
        &[&[Of(ALNUM, 32, 32)]],
        &["OHkek0IYyAjyKVGgyaEtcNbmZv7aB4YL"],
    ),
    named(
        "mixpanel-secret",
        "A Mixpanel secret.",
        &["mixpanel"],
        &[&[Of(HEX, 32, 32)]],
        &["c9945cb318999735ca833db87f848cf2"],
    ),
    named(
        "netlify-key",
        "A Netlify token.",
        &["netlify"],
        &[&[Of(URL, 40, 46)]],
        &["qh3JAPXyI5dHxUyHzWRaoaaQJ8di3D9w781IOYEO"],
    ),
    named(
        "new-relic-key",
        "A New Relic key.",
        &["newrelic", "new_relic", "new-relic"],
        &[&[Of(ALNUM, 40, 40)], &[Of(ALNUM, 64, 64)]],
        &[
            "UVYDIRNj6YP99miNMkRcAA2lIUmKRRw9Pdxg7ciD",
            "R0qRqJD21x8hdPPbEogbLk2ekIwifMS03w6hxQPUx4BJOLp3dRIusCXsOBDnaCE2",
        ],
    ),
    named(
        "ngrok-token",
        "An ngrok token.",
        &["ngrok"],
        &[&[Of(WORD, 42, 50)]],
        &["qEM6GkGrdIixMxRg9YUseDMGAZrz96RE7zRE2wfhcS"],
    ),
    named(
        "nytimes-key",
        "A New York Times key.",
        &["nytimes", "new-york-times"],
        &[&[Of(URL, 32, 32)]],
        &["Zkt4t2mDs4LNVXBbav9squroitBQ5xgK"],
    ),
    named(
        "okta-token",
        "An Okta token.",
        &["okta"],
        &[&[Is("00"), Of(URL, 40, 40)]],
        &["00gQs2jneQ8ZAfw8-MN1Aj1u6xPh1fErKFvOvHFR1C"],
    ),
    named(
        "opsgenie-key",
        "An Opsgenie key.",
        &["opsgenie"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["e233757d-ffb6-b257-742d-8a3ad0fc262b"],
    ),
    named(
        "openweather-key",
        "An OpenWeather key.",
        &["openweather"],
        &[&[Of(HEX, 32, 32)]],
        &["85da6de181e346f06c5fe5f63b5d720f"],
    ),
    named(
        "pagerduty-key",
        "A PagerDuty key.",
        &["pagerduty"],
        &[&[Of(URL, 20, 20)]],
        &["qTlEKS36d7V6PstfXTek"],
    ),
    named(
        "plaid-secret",
        "A Plaid secret.",
        &["plaid"],
        &[&[Of(LOWER, 30, 30)]],
        &["1owbfuoxhtidyvllgva2olfmmyu4ft"],
    ),
    named(
        "postmark-token",
        "A Postmark token.",
        &["postmark"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["1efb2f38-29a3-5a67-3e9e-9d89c9b0e1af"],
    ),
    named(
        "private-ai-token",
        "A Private AI token.",
        &["privateai", "private_ai", "private-ai"],
        &[&[Of(LOWER, 32, 32)]],
        &["yfrdastkhpb4bbxa287kb0gz95gwyr6y"],
    ),
    named(
        "pushbullet-token",
        "A Pushbullet token.",
        &["pushbullet"],
        &[&[Is("o."), Of(ALNUM, 32, 32)]],
        &["o.Y91S5YUjRtD9I5L1HH026d1W0NIMJ64d"],
    ),
    named(
        "pushover-token",
        "A Pushover token.",
        &["pushover"],
        &[&[Of(LOWER, 30, 30)]],
        &["4iyakrj5ht1avoyrf03d7ec24pvkgy"],
    ),
    named(
        "rapidapi-key",
        "A RapidAPI key.",
        &["rapidapi"],
        &[&[Of(URL, 50, 50)]],
        &["7p5qIoxQX083rNcDFz69SLNcqlAfEmFpkHn4J8qSIPrsGBwCoe"],
    ),
    named(
        "rollbar-token",
        "A Rollbar token.",
        &["rollbar"],
        &[&[Of(HEX, 32, 32)]],
        &["da211c1f1e6adb12cce64ee350c7747d"],
    ),
    named(
        "scaleway-key",
        "A Scaleway secret key.",
        &["scaleway"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["40595b2a-2b11-ef2e-e05b-af8b2db949c1"],
    ),
    named(
        "segment-key",
        "A Segment write key.",
        &["segment"],
        &[&[Of(ALNUM, 32, 32)]],
        &["wipVg11IXNk0KgNCMDiy9uG9rdCy0eVQ"],
    ),
    named(
        "sendbird-token",
        "A Sendbird token.",
        &["sendbird"],
        &[
            &[Of(HEX, 40, 40)],
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
        ],
        &["083659eda68b22f347041fef0e810e3a5da4d899", "b2cb6603-2f1f-51ac-9872-70405fddba96"],
    ),
    named(
        "sentry-token",
        "A Sentry token.",
        &["sentry"],
        &[&[Of(HEX, 64, 64)]],
        &["d3e0b1747a6794f36f1b625910b2b16d773b914e38e37c80c7e4f763f972bd13"],
    ),
    named(
        "shodan-key",
        "A Shodan key.",
        &["shodan"],
        &[&[Of(ALNUM, 32, 32)]],
        &["d7O2D4UypkeUC8JnapiEfwZ2M1EAh9Pa"],
    ),
    named(
        "sidekiq-secret",
        "A Sidekiq secret.",
        &["contribsys"],
        &[&[Of(HEX, 8, 8), Is(":"), Of(HEX, 8, 8)]],
        &["4940849e:4cf05f5f"],
    ),
    named(
        "snyk-key",
        "A Snyk token.",
        &["snyk"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["6ab61eef-e498-d968-9242-2e58106bd342"],
    ),
    named(
        "softlayer-key",
        "A SoftLayer key.",
        &["softlayer", "sl_api", "sl-api", "sl_key", "sl-key"],
        &[&[Of(ALNUM, 64, 64)]],
        &["qkcnJwA27GnEnnbAbfZ03zjPawKvplNm6VHrUMJsqWmqV3ZRn5Jwk9JLbqYPctUh"],
    ),
    named(
        "sonar-old-token",
        "A SonarQube token.",
        &["sonar"],
        &[&[Of(ALNUM, 40, 40)]],
        &["XcLNppegmXRj5WDrmx47a1O1UlML7pNoLNugyMKs"],
    ),
    named(
        "sourcegraph-old-token",
        "A Sourcegraph token.",
        &["sourcegraph"],
        &[&[Of(ANYHEX, 40, 40)]],
        &["7Ec57F07b3d4B9ADB1F5BBD793Ce9390CcAef5D2"],
    ),
    named(
        "sparkpost-key",
        "A SparkPost key.",
        &["sparkpost"],
        &[&[Of(HEX, 40, 40)]],
        &["78606255ff49e68398699bdf5b4fa5ce230a7dfb"],
    ),
    named(
        "splunk-token",
        "A Splunk token.",
        &["splunk"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["821dff5c-b950-4555-792e-0da68a17fb9f"],
    ),
    named(
        "squarespace-token",
        "A Squarespace token.",
        &["squarespace"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["5e76e7db-8ef5-7ab8-ddf8-81a7fe658231"],
    ),
    named(
        "sumologic-id",
        "The id of a Sumo Logic key.",
        &["sumo", "sumologic"],
        &[&[Is("su"), Of(ALNUM, 12, 12)]],
        &["suhfcIbm5qYXLC"],
    ),
    named(
        "sumologic-key",
        "A Sumo Logic key.",
        &["sumo", "sumologic"],
        &[&[Of(ALNUM, 64, 64)]],
        &["ujDR3JNoCTImSW1BYHpbX0g2ifGolNJqsa8xB60U8RCqXaFzqhzQX6uSAueH1w2z"],
    ),
    named(
        "travis-token",
        "A Travis CI token.",
        &["travis"],
        &[&[Of(ALNUM, 22, 22)]],
        &["oXwaYEtG1jDULq4zbpuMHB"],
    ),
    named(
        "trello-key",
        "A Trello key.",
        &["trello"],
        &[&[Of(HEX, 32, 32)], &[Of(HEX, 64, 64)]],
        &[
            "db3ff89df2b43c74049b0f51e2e707e0",
            "557269fedfdeb62732974dbd75904aeae2d0dee9a68d7db808f42280429b53c7",
        ],
    ),
    named(
        "twilio-auth-token",
        "A Twilio auth token.",
        &["twilio"],
        &[&[Of(HEX, 32, 32)]],
        &["fa94e81dfc2592bf1ae76488f7e1bd48"],
    ),
    named(
        "twitch-token",
        "A Twitch token.",
        &["twitch"],
        &[&[Of(LOWER, 30, 30)]],
        &["mhyb73zixuswpm1zlfhjtyxypvtxpk"],
    ),
    named(
        "twitter-key",
        "A Twitter key.",
        &["twitter"],
        &[&[Of(ALNUM, 25, 25)], &[Of(ALNUM, 45, 45)], &[Of(ALNUM, 50, 50)]],
        &[
            "kzQfsYYwqTlB7n4gTF1r6y7CA",
            "kLDebxKuzNxaWFeYBaFU1dOfj7QupRNjAK9VCprHt29vw",
            "updIVQQ86f0vOUXF0STR2fNdOlytolAsShxbRHWW6kRg7UFfIi",
        ],
    ),
    named(
        "twitter-token",
        "A Twitter access token.",
        &["twitter"],
        &[&[Of(DIGIT, 15, 25), Is("-"), Of(ALNUM, 20, 45)]],
        &["724688845400631-PBHI3jTeD728qBIiUrMj"],
    ),
    named(
        "vercel-key",
        "A Vercel token.",
        &["vercel"],
        &[&[Of(ALNUM, 24, 24)]],
        &["Egk8PDCRIcasKhYWyEuspYuH"],
    ),
    named(
        "vultr-key",
        "A Vultr key.",
        &["vultr"],
        &[&[Of(UPPER, 36, 36)]],
        &["SVZ3AXDCYT8D8G10GV2N551O7DPK4V66YYZ2"],
    ),
    named(
        "wakatime-key",
        "A WakaTime key.",
        &["wakatime"],
        &[&[
            Of(HEX, 8, 8),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 4, 4),
            Is("-"),
            Of(HEX, 12, 12),
        ]],
        &["0e5842e2-1f91-d5a6-f1c5-a1168de43e92"],
    ),
    named(
        "wandb-old-key",
        "A Weights and Biases key.",
        &["wandb"],
        &[&[Of(HEX, 40, 40)]],
        &["9213595152b31cd3782c6cf05a15c7e852e2832e"],
    ),
    named(
        "zendesk-secret",
        "A Zendesk secret.",
        &["zendesk"],
        &[&[Of(ALNUM, 40, 40)], &[Of(HEX, 64, 64)]],
        &[
            "GDaDAClOYvLC8irC5F43wXbtMDN79QJ8UHWokQTC",
            "68b92a1428e09f60bed1602fe29474f8bf86d8b6c9ab08b4453cfaba173ca90d",
        ],
    ),
    named(
        "zoom-secret",
        "A Zoom secret.",
        &["zoom"],
        &[&[Of(ALNUM, 32, 32)]],
        &["tyJXnC295ftEdPsb86vgRNfOfVfDYk8O"],
    ),
];
