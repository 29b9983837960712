//! The verification functions that programs of the software verification competition use.

use super::Model;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::symbolic::AnnotationKind;
use gordian_base::Id;
use gordian_trace::OpKind;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" => {
            Model::plain(|call| Err(Fault::Assertion(format!("`{}` was called", call.name()))))
        }
        "__VERIFIER_assert" => Model::plain(|call| match call.int(0) {
            0 => Err(Fault::Assertion("`__VERIFIER_assert` of something false".to_owned())),
            _ => Ok(Flow::Next),
        }),
        // They say what was meant and exclude nobody, so that `gordian predict` can look whether it is so.
        "gordian_atomic_begin" => Model::plain(|call| {
            call.machine.annotate(call.thread, AnnotationKind::RegionBegins);
            Ok(Flow::Next)
        }),
        "gordian_atomic_end" => Model::plain(|call| {
            call.machine.annotate(call.thread, AnnotationKind::RegionEnds);
            Ok(Flow::Next)
        }),
        "__VERIFIER_atomic_begin" => Model::visible(
            |call| {
                if call.machine.threads[call.thread.index()].core.atomic == 0 && call.machine.accesses_are_visible() {
                    call.machine.enter_atomic(call.thread);
                }
                call.machine.threads[call.thread.index()].core.atomic += 1;
                Ok(Flow::Next)
            },
            |call| Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::AtomicBegin, 0, 0))),
        ),
        "__VERIFIER_atomic_end" => Model::plain(|call| {
            if call.machine.threads[call.thread.index()].core.atomic == 0 {
                return Err(Fault::LockMisuse("`__VERIFIER_atomic_end` without `__VERIFIER_atomic_begin`".to_owned()));
            }
            call.machine.leave_atomic(call.thread);
            Ok(Flow::Next)
        }),
        _ => return None,
    })
}
