//! Threads that are held in proportion to each other, as fio's `flow` does: before each I/O a
//! thread looks at what its group has issued, and waits if it is ahead of its share.

use engine::{Duration, Instant};

/// A thread's place in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Which group.
    pub group: u32,
    /// Its part of the group's I/Os. In a group with a negative one, each I/O adds this to a
    /// counter that is to stay near zero.
    pub weight: i32,
    /// How far the counter of such a group may be from zero.
    pub slack: u32,
    /// A pause each time it has to wait; with none it goes on as soon as it may.
    pub sleep: Duration,
}

/// What a group has done.
#[derive(Default)]
struct Group {
    id: u32,
    issued: u64,
    weight: u64,
    counter: i64,
    /// Whether a thread of it has a negative weight.
    counts: bool,
}

/// A thread that has begun and not ended.
struct Member {
    flow: Flow,
    group: usize,
    issued: u64,
    /// A pause is due; it begins when nothing is in flight any more.
    due: bool,
    until: Instant,
    /// It waits for others to issue.
    waits: bool,
}

/// Why a thread does not issue.
pub(super) enum Held {
    /// Others have to issue first, or its own I/Os to complete.
    Waits,
    /// A pause.
    Until(Instant),
}

/// All groups.
#[derive(Default)]
pub(super) struct Flows {
    groups: Vec<Group>,
    /// By thread.
    members: Vec<Option<Member>>,
}

impl Flows {
    /// A thread begins.
    pub(super) fn join(&mut self, thread: usize, flow: Flow) {
        let known = self.groups.iter().position(|group| group.id == flow.group);
        let group = known.unwrap_or_else(|| {
            self.groups.push(Group { id: flow.group, ..Group::default() });
            self.groups.len() - 1
        });
        self.groups[group].weight += u64::from(flow.weight.unsigned_abs());
        self.groups[group].counts |= flow.weight < 0;
        if self.members.len() <= thread {
            self.members.resize_with(thread + 1, || None);
        }
        let (until, issued) = (Instant::ZERO, 0);
        self.members[thread] =
            Some(Member { flow, group, issued, due: false, until, waits: false });
    }

    /// Why a thread with so many I/Os in flight may not issue now; `None` if it may.
    pub(super) fn holds(&mut self, thread: usize, now: Instant, in_flight: u32) -> Option<Held> {
        let member = self.members.get_mut(thread)?.as_mut()?;
        if now < member.until {
            return Some(Held::Until(member.until));
        }
        if !member.due && !self.groups[member.group].is_exceeded(member) {
            member.waits = false;
            return None;
        }
        if member.flow.sleep == Duration::ZERO {
            member.waits = true;
            return Some(Held::Waits);
        }
        if in_flight > 0 {
            member.due = true;
            return Some(Held::Waits);
        }
        member.due = false;
        member.until = now + member.flow.sleep;
        Some(Held::Until(member.until))
    }

    /// A thread has issued. Gives the threads of its group that wait for that.
    pub(super) fn issued(&mut self, thread: usize) -> Vec<usize> {
        let Some(Some(member)) = self.members.get_mut(thread) else { return Vec::new() };
        member.issued += 1;
        let (group, weight) = (member.group, i64::from(member.flow.weight));
        self.groups[group].issued += 1;
        self.groups[group].counter += weight;
        self.waiting(group)
    }

    /// A thread has ended, and its part of the group with it. Gives the threads that wait.
    pub(super) fn leave(&mut self, thread: usize) -> Vec<usize> {
        let Some(member) = self.members.get_mut(thread).and_then(Option::take) else {
            return Vec::new();
        };
        let group = &mut self.groups[member.group];
        group.issued -= member.issued;
        group.weight -= u64::from(member.flow.weight.unsigned_abs());
        group.counter -= i64::from(member.flow.weight) * i64::try_from(member.issued).unwrap_or(0);
        self.waiting(member.group)
    }

    fn waiting(&self, group: usize) -> Vec<usize> {
        let waits = |member: &Option<Member>| {
            member.as_ref().is_some_and(|member| member.waits && member.group == group)
        };
        let all = self.members.iter().enumerate();
        all.filter(|(_, member)| waits(member)).map(|(thread, _)| thread).collect()
    }
}

impl Group {
    /// Whether a thread is ahead of its share: of the I/Os by the ratio of weights, or of the
    /// counter by its sign.
    fn is_exceeded(&self, member: &Member) -> bool {
        if self.counts {
            let slack = i64::from(member.flow.slack);
            return i64::from(member.flow.weight.signum()) * self.counter > slack;
        }
        let weight = u64::from(member.flow.weight.unsigned_abs());
        u128::from(member.issued) * u128::from(self.weight)
            > u128::from(weight) * u128::from(self.issued)
    }
}
