//! House rules that no compiler checks, as tests over the source tree. Nothing but tests is here.

#[cfg(test)]
mod bases;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod functions;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod recipes;
#[cfg(test)]
mod tests_run;
#[cfg(test)]
mod text;
#[cfg(test)]
mod tree;
