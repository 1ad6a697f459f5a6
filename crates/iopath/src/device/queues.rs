//! Submission queues and their arbitration, as in NVMe (base specification 2.0, "Command
//! arbitration"): from which queue a controller takes its next command. It has no notion of time.
//!
//! Round robin takes from one queue after the other, a burst of commands each. Weighted round robin
//! puts each queue into a class. Urgent goes before all others. The other three have credits, their
//! weights; a command costs its class one, and when no class with commands has a credit left, all
//! get their weights again. Within a class queues take turns by bursts.

use crate::kernel::command::CommandId;
use engine::narrow;
use std::collections::VecDeque;

/// Queues that a drive has at most.
pub const MOST_QUEUES: u32 = 256;

/// The class of a queue in weighted round robin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Before all others.
    Urgent,
    /// Weighted.
    High,
    /// Weighted.
    Medium,
    /// Weighted.
    Low,
}

/// How the next queue is chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arbitration {
    /// All queues alike.
    RoundRobin,
    /// By class.
    Weighted {
        /// Commands of the classes high, medium and low in a round, each at least one.
        weights: [u32; 3],
        /// Classes of the queues in turn: queue `q` has class `q` modulo their number.
        classes: Vec<Class>,
    },
}

/// The submission queues of a drive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueConfig {
    /// Queues, 1 to [`MOST_QUEUES`]. A command goes to the queue it names modulo their number.
    pub count: u32,
    /// Commands of one queue in flight at once: a queue holds one less than it has entries.
    pub depth: u32,
    /// Commands of all queues that the controller works at, taken and not answered.
    pub slots: u32,
    /// Commands taken from one queue in its turn, at most.
    pub burst: u32,
    /// The queue whose turn it is.
    pub arbitration: Arbitration,
}

impl QueueConfig {
    /// What would keep the queues from working, if anything.
    ///
    /// # Errors
    /// If there are no queues or more than 256, if a queue, its slots or a burst is empty, or if a
    /// weighted class has no weight.
    pub fn check(&self) -> Result<(), String> {
        let need = |holds: bool, text: &str| if holds { Ok(()) } else { Err(text.to_owned()) };
        need((1..=MOST_QUEUES).contains(&self.count), "a drive has 1 to 256 queues")?;
        need(self.depth > 0 && self.slots > 0, "a queue needs a depth of at least 1")?;
        need(self.burst > 0, "a burst needs at least one command")?;
        if let Arbitration::Weighted { weights, classes } = &self.arbitration {
            need(weights.iter().all(|&weight| weight > 0), "a class with weight 0 starves")?;
            need(!classes.is_empty(), "weighted queues need classes")?;
        }
        Ok(())
    }

    /// False if commands would be taken in the order of their arrival anyway.
    pub fn matters(&self) -> bool {
        self.count > 1 || self.depth < u32::MAX || self.slots < u32::MAX
    }

    fn class_of(&self, queue: u32) -> usize {
        match &self.arbitration {
            Arbitration::RoundRobin => 0,
            Arbitration::Weighted { classes, .. } => {
                classes[queue as usize % classes.len()] as usize
            }
        }
    }
}

/// One queue.
#[derive(Clone, Debug, Default)]
struct Queue {
    waiting: VecDeque<CommandId>,
    /// Commands taken and not answered.
    under_way: u32,
}

/// The queues of one class in which commands wait, and whose turn it is.
#[derive(Clone, Debug, Default)]
struct Turns {
    /// One bit for each queue.
    waiting: [u64; 4],
    /// The queue that was taken from last, and what is left of its burst.
    last: u8,
    left: u32,
}

impl Turns {
    fn set(&mut self, queue: u8, waits: bool) {
        let word = &mut self.waiting[queue as usize / 64];
        let bit = 1 << (queue % 64);
        *word = if waits { *word | bit } else { *word & !bit };
    }

    fn is_set(&self, queue: u8) -> bool {
        self.waiting[queue as usize / 64] >> (queue % 64) & 1 == 1
    }

    /// The first queue after `queue` in which commands wait, going round; itself comes last.
    fn after(&self, queue: u8) -> Option<u8> {
        let from = queue as usize + 1;
        for step in 0..=4 {
            let word = (from / 64 + step) % 4;
            let mut bits = self.waiting[word];
            if step == 0 {
                bits &= u64::MAX << (from % 64);
            }
            if bits != 0 {
                return Some(narrow(word * 64 + bits.trailing_zeros() as usize));
            }
        }
        None
    }

    fn count(&self) -> u32 {
        self.waiting.iter().map(|word| word.count_ones()).sum()
    }
}

/// Chooses commands.
#[derive(Clone, Debug)]
pub struct Arbiter {
    config: QueueConfig,
    queues: Vec<Queue>,
    /// Of each class.
    turns: [Turns; 4],
    credits: [u32; 3],
    waiting: usize,
}

impl Arbiter {
    /// Empty queues.
    pub fn new(config: QueueConfig) -> Self {
        // The first turn is that of queue 0.
        let turns = Turns { last: u8::MAX, ..Turns::default() };
        Arbiter {
            queues: vec![Queue::default(); config.count as usize],
            turns: std::array::from_fn(|_| turns.clone()),
            credits: [0; 3],
            waiting: 0,
            config,
        }
    }

    /// Commands that wait to be taken.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Commands that the controller works at, at most.
    pub fn slots(&self) -> u32 {
        self.config.slots
    }

    /// A command comes into the queue that it names.
    pub fn push(&mut self, queue: u32, id: CommandId) {
        let queue = queue % self.config.count;
        self.queues[queue as usize].waiting.push_back(id);
        self.turns[self.config.class_of(queue)].set(narrow(queue), true);
        self.waiting += 1;
    }

    /// Takes the next command; `None` if none waits, or all that wait are in queues that have as
    /// many in flight as they may.
    pub fn pick(&mut self) -> Option<CommandId> {
        let Arbitration::Weighted { weights, .. } = self.config.arbitration else {
            return self.pick_from(0);
        };
        if let Some(id) = self.pick_from(Class::Urgent as usize) {
            return Some(id);
        }
        for _ in 0..2 {
            for class in 0..3 {
                if self.credits[class] > 0
                    && let Some(id) = self.pick_from(class + 1)
                {
                    self.credits[class] -= 1;
                    return Some(id);
                }
            }
            self.credits = weights;
        }
        None
    }

    /// The next command of a class.
    fn pick_from(&mut self, class: usize) -> Option<CommandId> {
        let turns = &mut self.turns[class];
        for _ in 0..turns.count() {
            if turns.left == 0 || !turns.is_set(turns.last) {
                turns.last = turns.after(turns.last)?;
                turns.left = self.config.burst;
            }
            let queue = &mut self.queues[turns.last as usize];
            if queue.under_way >= self.config.depth {
                turns.left = 0;
                continue;
            }
            let id = queue.waiting.pop_front()?;
            queue.under_way += 1;
            self.waiting -= 1;
            turns.left -= 1;
            if queue.waiting.is_empty() {
                // What comes later waits for the queue's next turn.
                turns.left = 0;
                turns.set(turns.last, false);
            }
            return Some(id);
        }
        None
    }

    /// A command of the queue has been answered.
    pub fn answered(&mut self, queue: u32) {
        let queue = queue % self.config.count;
        let queue = &mut self.queues[queue as usize];
        queue.under_way = queue.under_way.saturating_sub(1);
    }

    /// All is lost: no command waits or is in flight.
    pub fn clear(&mut self) {
        *self = Arbiter::new(self.config.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(count: u32, burst: u32) -> QueueConfig {
        QueueConfig {
            count,
            depth: u32::MAX,
            slots: u32::MAX,
            burst,
            arbitration: Arbitration::RoundRobin,
        }
    }

    /// Fills each queue with as many commands; the hundreds digit of an id is its queue.
    fn filled(config: QueueConfig, commands: &[u32]) -> Arbiter {
        let mut arbiter = Arbiter::new(config);
        for (queue, &n) in commands.iter().enumerate() {
            (0..n).for_each(|i| arbiter.push(queue as u32, CommandId(queue as u32 * 100 + i)));
        }
        arbiter
    }

    /// The queues of the next commands.
    fn order(arbiter: &mut Arbiter, n: usize) -> Vec<u32> {
        (0..n).map_while(|_| arbiter.pick()).map(|id| id.0 / 100).collect()
    }

    #[test]
    fn queues_take_turns_by_bursts() {
        assert_eq!(order(&mut filled(config(3, 1), &[3, 1, 2]), 9), [0, 1, 2, 0, 2, 0]);
        assert_eq!(order(&mut filled(config(3, 2), &[3, 1, 4]), 9), [0, 0, 1, 2, 2, 0, 2, 2]);
        assert_eq!(order(&mut filled(config(2, 64), &[3, 2]), 9), [0, 0, 0, 1, 1]);
    }

    #[test]
    fn commands_of_one_queue_keep_their_order() {
        let mut arbiter = filled(config(1, 4), &[9]);
        let ids: Vec<u32> = (0..9).map_while(|_| arbiter.pick()).map(|id| id.0).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn classes_share_by_their_weights_and_urgent_goes_first() {
        use Class::*;
        let weighted = |weights, classes: &[Class]| QueueConfig {
            arbitration: Arbitration::Weighted { weights, classes: classes.to_vec() },
            ..config(4, 1)
        };
        let mut arbiter = filled(weighted([3, 2, 1], &[Low, High, Medium, Urgent]), &[9, 9, 9, 2]);
        assert_eq!(order(&mut arbiter, 8), [3, 3, 1, 1, 1, 2, 2, 0]);
        assert_eq!(order(&mut arbiter, 6), [1, 1, 1, 2, 2, 0]);
        // Alone, a class takes all.
        let mut arbiter = filled(weighted([3, 2, 1], &[Low, High, Medium, Urgent]), &[4, 1, 0, 0]);
        assert_eq!(order(&mut arbiter, 9), [1, 0, 0, 0, 0]);
        // Two queues of one class share what it gets.
        let mut arbiter = filled(weighted([4, 1, 1], &[High, High, Low, Low]), &[9, 9, 9, 9]);
        assert_eq!(order(&mut arbiter, 10), [0, 1, 0, 1, 2, 0, 1, 0, 1, 3]);
    }

    #[test]
    fn a_queue_has_no_more_under_way_than_its_depth() {
        let mut arbiter = filled(QueueConfig { depth: 2, ..config(2, 8) }, &[4, 1]);
        assert_eq!(order(&mut arbiter, 9), [0, 0, 1]);
        assert_eq!((arbiter.pick(), arbiter.waiting()), (None, 2));
        arbiter.answered(0);
        assert_eq!(order(&mut arbiter, 9), [0]);
        arbiter.answered(1);
        assert_eq!(order(&mut arbiter, 9), [], "the other queue's answers give it nothing");
        arbiter.answered(0);
        assert_eq!(order(&mut arbiter, 9), [0]);
    }

    #[test]
    fn a_queue_number_beyond_the_last_begins_again() {
        let mut arbiter = Arbiter::new(config(2, 1));
        [0, 2, 4, 1].iter().for_each(|&queue| arbiter.push(queue, CommandId(queue)));
        let ids: Vec<u32> = (0..9).map_while(|_| arbiter.pick()).map(|id| id.0).collect();
        assert_eq!(ids, [0, 1, 2, 4]);
    }
}
