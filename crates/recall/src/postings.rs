//! How lists of documents are written down: ascending numbers as differences, each with a count, in few bytes.

/// Which documents a term occurs in, ascending, with how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Postings {
    bytes: Vec<u8>,
    count: u32,
    last: Option<u32>,
}

impl Postings {
    /// Adds a document. Numbers must ascend.
    pub fn push(&mut self, doc: u32, times: u32) {
        debug_assert!(self.last.is_none_or(|last| last < doc), "postings ascend");
        let step = doc - self.last.unwrap_or(0);
        // Most terms occur once in a text: that costs no byte of its own.
        if times == 1 {
            write_number(&mut self.bytes, u64::from(step) << 1);
        } else {
            write_number(&mut self.bytes, u64::from(step) << 1 | 1);
            write_number(&mut self.bytes, u64::from(times));
        }
        self.count += 1;
        self.last = Some(doc);
    }

    /// The written form: the count, then the list.
    pub fn written(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + 4);
        write_number(&mut out, u64::from(self.count));
        out.extend_from_slice(&self.bytes);
        out
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// How many documents a written list has.
pub fn count(written: &[u8]) -> u32 {
    read_number(written, &mut 0).and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
}

/// Reads a written list. Damage ends it early; it never panics.
pub fn read(written: &[u8], mut each: impl FnMut(u32, u32)) {
    let at = &mut 0;
    let Some(_) = read_number(written, at) else { return };
    let mut doc: u32 = 0;
    while *at < written.len() {
        let Some(step) = read_number(written, at) else { return };
        let times = if step & 1 == 0 { Some(1) } else { read_number(written, at) };
        let Some(times) = times.and_then(|times| u32::try_from(times).ok()) else { return };
        let Some(next) = u32::try_from(step >> 1).ok().and_then(|step| doc.checked_add(step)) else { return };
        doc = next;
        each(doc, times);
    }
}

/// Writes a number in groups of seven bits.
pub fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number written by [`write_number`] and moves on; nothing where it is cut short or too large.
#[inline]
pub fn read_number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(u64::from(first));
    }
    let mut number = u64::from(first & 0x7f);
    for shift in (7..63).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(written: &[u8]) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        read(written, |doc, times| found.push((doc, times)));
        found
    }

    #[test]
    fn what_is_written_is_read() {
        let lists: &[&[(u32, u32)]] =
            &[&[], &[(0, 1)], &[(0, 7), (1, 1), (2, 300), (900_000, 1)], &[(5, 1), (u32::MAX, u32::MAX)]];
        for list in lists {
            let mut postings = Postings::default();
            list.iter().for_each(|(doc, times)| postings.push(*doc, *times));
            assert_eq!(listed(&postings.written()), *list);
            assert_eq!(count(&postings.written()) as usize, list.len());
        }
    }

    #[test]
    fn damage_ends_a_list_and_nothing_else() {
        for bytes in [&[][..], &[0xff; 20], &[3, 0xff], &[1, 1], &[2, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f]] {
            let _ = listed(bytes);
        }
    }
}
