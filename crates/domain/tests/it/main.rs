//! The state read from whatever stands in a file, written back, numbered, and cut to its budget.

#[cfg(test)]
mod any_json;
#[cfg(test)]
mod arbitrary;
#[cfg(test)]
mod budget;
#[cfg(test)]
mod dialects;
#[cfg(test)]
mod ids;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod seed_form;
#[cfg(test)]
mod sequences;
