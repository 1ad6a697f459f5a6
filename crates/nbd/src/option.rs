//! The data of options, taken apart. `None` is data that does not have the form of its option.

use crate::fault::Fault;
use crate::wire::{self, Fields};

/// The head of an option: its number, and how much data follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionHead {
    pub option: u32,
    pub len: u32,
}

impl OptionHead {
    /// # Errors
    /// If it does not begin as options do, or announces more data than is taken.
    ///
    /// # Panics
    /// If `bytes` has another length than such a head.
    pub(crate) fn parse(bytes: &[u8]) -> Result<OptionHead, Fault> {
        let mut fields = Fields(bytes);
        let parts = (fields.u64(), fields.u32(), fields.u32());
        let (Some(magic), Some(option), Some(len)) = parts else {
            unreachable!("the head of an option is whole")
        };
        let limit = wire::OPTION_LIMIT;
        if magic != wire::OPTION_MAGIC {
            Err(Fault::OptionMagic(magic))
        } else if len > limit {
            Err(Fault::OptionTooLong { option, len, limit })
        } else {
            Ok(OptionHead { option, len })
        }
    }
}

/// The data of INFO and GO.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InfoQuery<'a> {
    pub name: &'a [u8],
    pub wanted: Vec<u16>,
}

impl InfoQuery<'_> {
    pub(crate) fn parse(data: &[u8]) -> Option<InfoQuery<'_>> {
        let mut fields = Fields(data);
        let name = fields.string()?;
        let count = fields.u16()?;
        let wanted = (0..count).map(|_| fields.u16()).collect::<Option<_>>()?;
        fields.is_empty().then_some(InfoQuery { name, wanted })
    }
}

/// The data of `LIST_META_CONTEXT` and `SET_META_CONTEXT`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ContextQuery<'a> {
    pub name: &'a [u8],
    pub queries: Vec<&'a [u8]>,
}

impl ContextQuery<'_> {
    pub(crate) fn parse(data: &[u8]) -> Option<ContextQuery<'_>> {
        let mut fields = Fields(data);
        let name = fields.string()?;
        let count = fields.u32()?;
        // The count is a claim; the list only grows with what the data holds.
        let queries = (0..count).map(|_| fields.string()).collect::<Option<_>>()?;
        fields.is_empty().then_some(ContextQuery { name, queries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_an_option_has_no_byte_too_few_or_too_many() {
        let info = b"\0\0\0\x02xy\0\x02\0\x03\0\x01";
        let query = InfoQuery::parse(info).expect("it is whole");
        assert_eq!((query.name, query.wanted), (&b"xy"[..], vec![3, 1]));
        let context = b"\0\0\0\x01x\0\0\0\x01\0\0\0\x05base:";
        let query = ContextQuery::parse(context).expect("it is whole");
        assert_eq!((query.name, query.queries), (&b"x"[..], vec![&b"base:"[..]]));
        for end in 0..info.len() {
            assert_eq!(InfoQuery::parse(&info[..end]), None);
        }
        for end in 0..context.len() {
            assert_eq!(ContextQuery::parse(&context[..end]), None);
        }
        assert_eq!(InfoQuery::parse(&[&info[..], b"\0"].concat()), None);
        assert_eq!(ContextQuery::parse(&[&context[..], b"\0"].concat()), None);
    }

    #[test]
    fn a_claim_of_four_billion_queries_is_refused() {
        assert_eq!(ContextQuery::parse(b"\0\0\0\0\xff\xff\xff\xff"), None);
    }

    #[test]
    fn an_option_may_be_as_long_as_the_limit() {
        let head = |len: u32| {
            let mut head = b"IHAVEOPT\0\0\0\x07".to_vec();
            wire::put_u32(&mut head, len);
            OptionHead::parse(&head).map(|head| head.len)
        };
        let limit = wire::OPTION_LIMIT;
        assert_eq!(head(limit), Ok(limit));
        let len = limit + 1;
        assert_eq!(head(len), Err(Fault::OptionTooLong { option: 7, len, limit }));
    }
}
