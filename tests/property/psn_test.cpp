// SPDX-License-Identifier: BSD-3-Clause
// PSN arithmetic against a model that never wraps: sequences in 64 bits.
#include "base/psn.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

namespace rocetop {
namespace {

constexpr Sequence kHalf = Sequence{1} << 23;

Sequence any_sequence() { return *rc::gen::inRange<Sequence>(0, Sequence{1} << 48); }
Sequence any_distance() { return *rc::gen::inRange<Sequence>(-kHalf, kHalf); }

RC_GTEST_PROP(SerialDifference, EqualsTheDistanceOfSequencesLessThanHalfASpaceApart, ()) {
  const Sequence from = any_sequence() + kHalf;
  const Sequence distance = any_distance();
  RC_ASSERT(serial_difference(wire_psn(from + distance).value, wire_psn(from).value) == distance);
}

RC_GTEST_PROP(SerialDifference, ChangesSignWhenExchanged, (std::uint32_t a, std::uint32_t b)) {
  const std::int32_t there = serial_difference(a & kMask24, b & kMask24);
  const std::int32_t back = serial_difference(b & kMask24, a & kMask24);
  RC_ASSERT(there == -back || (there == -kHalf && back == -kHalf));
}

RC_GTEST_PROP(Extend, FindsTheSequenceThatWasCut, ()) {
  const Sequence reference = any_sequence() + kHalf;
  const Sequence sequence = reference + any_distance();
  RC_ASSERT(extend(reference, wire_psn(sequence)) == sequence);
}

RC_GTEST_PROP(Extend, KeepsTheWireBitsAndStaysNear, (std::uint32_t value)) {
  const Sequence reference = any_sequence();
  const Sequence extended = extend(reference, Psn{value});
  RC_ASSERT(wire_psn(extended) == Psn{value});
  RC_ASSERT(std::abs(extended - reference) <= kHalf);
}

RC_GTEST_PROP(Extend, FollowsAWalkAcrossManyWraps, ()) {
  Sequence truth = any_sequence() + kHalf;
  Sequence extended = truth;
  for (const std::uint32_t step : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 23))) {
    truth += step;
    extended = extend(extended, wire_psn(truth));
    RC_ASSERT(extended == truth);
  }
}

}  // namespace
}  // namespace rocetop
