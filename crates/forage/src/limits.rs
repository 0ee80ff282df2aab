//! Every bound of the forager (FOR-3, COR-30), with its unit and its reason.

use std::time::Duration;

/// Characters of an address: longer ones are made by programs to carry something along.
pub const URL_CHARS_MAX: usize = 2_000;
/// The longest name a host can have, and the longest of its labels, in bytes (RFC 1035).
pub const HOST_BYTES_MAX: usize = 253;
pub const LABEL_BYTES_MAX: usize = 63;
/// Ports that pages are served on. Others belong to databases, mail and the like.
pub const PORTS: [u16; 5] = [80, 443, 8000, 8080, 8443];
/// How often a page may send us elsewhere.
pub const REDIRECTS_MAX: usize = 5;
/// Bytes of an answer that are read, before and after it is decompressed. COR-30.
pub const PAGE_BYTES_MAX: usize = 500_000;
/// Bytes of a `robots.txt` that are read (RFC 9309 asks for at least this much).
pub const ROBOTS_BYTES_MAX: usize = 512_000;
/// An answer that grows by more than this when it is decompressed is a bomb. Text seldom grows tenfold.
pub const RATIO_MAX: usize = 50;
/// Compressed answers shorter than this may grow by any ratio: nothing large comes of them.
pub const RATIO_FREE_BYTES: usize = 4_096;
/// Bytes that are read ahead of a decompressor: what comes of an answer is compared with what it was.
pub const AHEAD_BYTES: usize = 1_024;
/// Addresses of one name that are tried.
pub const ADDRESSES_MAX: usize = 16;
/// Bytes of a page that are looked at for what it says of its character set, as browsers do.
pub const PRESCAN_BYTES: usize = 1_024;
/// A text with more signs that cannot be read than one in so many is in no known character set.
pub const UNREADABLE_SHARE: usize = 50;
/// Rules of a `robots.txt` that are read; real files have some hundred.
pub const ROBOTS_RULES_MAX: usize = 5_000;
/// Characters of such a rule, and asterisks in it: matching takes time by both.
pub const ROBOTS_PATTERN_CHARS_MAX: usize = 500;
pub const ROBOTS_STARS_MAX: usize = 8;
/// Sitemaps that a `robots.txt` may name.
pub const SITEMAPS_MAX: usize = 8;
/// Elements inside each other in a feed.
pub const FEED_DEPTH_MAX: usize = 100;
/// Items of a feed that are read as a page.
pub const FEED_ITEMS_MAX: usize = 20;
/// Characters of an address, a title and a summary in a feed.
pub const FEED_ADDRESS_CHARS_MAX: usize = 2_000;
pub const FEED_TITLE_CHARS_MAX: usize = 300;
pub const FEED_SUMMARY_CHARS_MAX: usize = 20_000;
/// Characters of a title that are kept.
pub const TITLE_CHARS_MAX: usize = 200;
/// Time for one page, its redirects included. COR-30.
pub const PAGE_TIME: Duration = Duration::from_secs(15);
/// Time for a `robots.txt`.
pub const ROBOTS_TIME: Duration = Duration::from_secs(5);
/// Time for a whole cycle, whatever is left to read.
pub const CYCLE_TIME: Duration = Duration::from_secs(60);
/// Requests a second to one host, and how many may come at once. COR-30.
pub const RATE_A_SECOND: f64 = 2.0;
pub const RATE_BURST: f64 = 5.0;
/// How long to wait for one's turn; then the page is left out.
pub const RATE_WAIT_MAX: Duration = Duration::from_secs(2);
/// Pages of a cycle, and of a day. COR-30.
pub const PAGES_A_CYCLE_MAX: u32 = 5;
/// Entries of one page. COR-30.
pub const ENTRIES_A_PAGE_MAX: usize = 8;
/// Bytes that a cycle may read, robots and search included.
pub const CYCLE_BYTES_MAX: u64 = 4_000_000;
/// Requests of a cycle, robots, redirects and search included.
pub const CYCLE_REQUESTS_MAX: usize = 40;
/// Characters of a query. COR-30.
pub const QUERY_CHARS_MAX: usize = 200;
/// Results of a search that are looked at.
pub const RESULTS_MAX: usize = 10;
/// Bytes of a search's answer.
pub const RESULTS_BYTES_MAX: usize = 500_000;
/// Addresses of a sitemap or feed that are compared with a query, and how many files of a site are read to find them.
pub const SITE_LINKS_MAX: usize = 5_000;
pub const SITE_FILES_MAX: usize = 4;
/// Characters of a window, and how many of them two neighbours share. COR-30.
pub const WINDOW_CHARS: usize = 1_500;
pub const WINDOW_OVERLAP_CHARS: usize = 200;
/// Elements inside each other: more are read as if they stood beside each other. Real pages have 30.
pub const DEPTH_MAX: usize = 256;
/// Blocks of text on a page.
pub const BLOCKS_MAX: usize = 5_000;
/// Characters of hidden text that are kept to be scanned.
pub const HIDDEN_CHARS_MAX: usize = 20_000;
/// Rules of a page's own style sheets that are looked at.
pub const STYLE_RULES_MAX: usize = 2_000;
/// Text of fewer characters was not extracted: the next level is tried. Seed 8.2.
pub const TEXT_CHARS_MIN: usize = 100;
/// The same for the share of text in the page.
pub const TEXT_SHARE_MIN: f64 = 0.1;
/// So many words that ask for JavaScript make a page that has no text of its own.
pub const SCRIPT_MARKERS_MIN: usize = 2;
/// Days after which a lower level is tried again where it often worked, and how often that is.
pub const REPROBE_DAYS: i64 = 7;
pub const REPROBE_SUCCESSES_MIN: u32 = 3;
/// A block of this many characters is no label, and one of a third of it is a sentence if it ends like one.
pub const LONG_BLOCK_CHARS: usize = 80;
/// How many blocks a short one may be away from a long one to belong to it.
pub const NEAR_BLOCKS: usize = 4;
/// Quality below this is not worth keeping. COR-30.
pub const QUALITY_MIN: f64 = 0.4;
/// A page of fewer words has nothing to say. COR-30.
pub const WORDS_MIN: usize = 50;
/// Words of a sentence that can be a claim.
pub const CLAIM_WORDS_MIN: usize = 6;
pub const CLAIM_WORDS_MAX: usize = 60;
/// Sentences of a claim, and its characters. COR-30.
pub const CLAIM_SENTENCES_MAX: usize = 3;
pub const CLAIM_CHARS_MAX: usize = 600;
/// What a sentence must have going for it to be a claim: see `claims.rs`.
pub const CLAIM_SCORE_MIN: i32 = 3;
/// Share of words that two claims have in common when they say the same.
pub const SAME_CLAIM_MIN: f64 = 0.6;
/// Credibility of a site that nobody knows (seed 8.5, fifth tier).
pub const UNKNOWN_CREDIBILITY: f64 = 0.30;
/// Credibility that a person's trust gives a site at least: that of a university (seed 8.5, second tier).
pub const TRUSTED_CREDIBILITY: f64 = 0.85;
