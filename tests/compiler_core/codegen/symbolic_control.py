"""Loops and branches over sizes that are symbols (see symbolic.py)."""

PROGRAMS = {
    "recurrence over a batch": """\
graph f[B = 4 in 2..](%0: f32[B,8], %1: f32[5,B,8], %2: f32[8,8]) {
  %3, %4 = scan(%0, %1, %2) {length = 5, reverse = false, carried = 1, scanned = 1}
    body(%5: f32[B,8], %6: f32[B,8], %7: f32[8,8]) {
    %8 = dot_general(%5, %7) {lhs_batch = (), lhs_contract = (1), rhs_batch = (),
      rhs_contract = (0)} : f32[B,8]
    %9 = add(%8, %6) : f32[B,8]
    %10 = tanh(%9) : f32[B,8]
    return %10, %10
  } : f32[B,8], f32[5,B,8]
  return %3, %4
}
""",
    "as many steps as the symbol says, backwards": """\
graph f[T = 6 in 2..](%0: f32[8], %1: f32[8], %2: f32[T,8]) {
  %3, %4, %5 = scan(%0, %1, %2) {length = T, reverse = true, carried = 2, scanned = 1}
    body(%6: f32[8], %7: f32[8], %8: f32[8]) {
    %9 = tanh(%8) : f32[8]
    %10 = add(%6, %9) : f32[8]
    return %10, %6, %7
  } : f32[8], f32[8], f32[T,8]
  return %3, %4, %5
}
""",
    "mean over a batch in steps, until it is small": """\
graph f[B = 4 in 2..](%0: f32[B,8]) {
  %1 = while(%0) {carried = 1} cond(%2: f32[B,8]) {
    %3 = reduce(%2) {monoid = add, dimensions = (0, 1)} : f32[]
    %4 = abs(%3) : f32[]
    %5 = constant() {value = 0.25} : f32[]
    %6 = compare(%4, %5) {direction = GT} : bool[]
    return %6
  } body(%7: f32[B,8]) {
    %8 = reduce(%7) {monoid = add, dimensions = (0)} : f32[8]
    %9 = constant() {value = 2*B} : f32[8]
    %10 = divide(%8, %9) : f32[8]
    %11 = broadcast_in_dim(%10) {dimensions = (1)} : f32[B,8]
    return %11
  } : f32[B,8]
  return %1
}
""",
    "one of two products": """\
graph f[B = 4 in 2..](%0: f32[B,8], %1: f32[8,8]) {
  %2 = reduce(%0) {monoid = add, dimensions = (0, 1)} : f32[]
  %3 = constant() {value = 0.0} : f32[]
  %4 = compare(%2, %3) {direction = GT} : bool[]
  %5 = convert(%4) : i32[]
  %6 = case(%5, %0, %1) first(%7: f32[B,8], %8: f32[8,8]) {
    %9 = dot_general(%7, %8) {lhs_batch = (), lhs_contract = (1), rhs_batch = (),
      rhs_contract = (0)} : f32[B,8]
    %10 = tanh(%9) : f32[B,8]
    %11 = dot_general(%10, %8) {lhs_batch = (), lhs_contract = (1), rhs_batch = (),
      rhs_contract = (0)} : f32[B,8]
    return %11
  } second(%12: f32[B,8], %13: f32[8,8]) {
    return %12
  } : f32[B,8]
  return %6
}
""",
    "loop in a loop": """\
graph f[B = 4 in 2..](%0: f32[B,8], %1: f32[3,B,8]) {
  %2 = scan(%0, %1) {length = 3, reverse = false, carried = 1, scanned = 1}
    body(%3: f32[B,8], %4: f32[B,8]) {
    %5 = add(%3, %4) : f32[B,8]
    %6 = while(%5) {carried = 1} cond(%7: f32[B,8]) {
      %8 = abs(%7) : f32[B,8]
      %9 = reduce(%8) {monoid = maximum, dimensions = (0, 1)} : f32[]
      %10 = constant() {value = 1.0} : f32[]
      %11 = compare(%9, %10) {direction = GT} : bool[]
      return %11
    } body(%12: f32[B,8]) {
      %13 = constant() {value = 0.5} : f32[B,8]
      %14 = multiply(%12, %13) : f32[B,8]
      return %14
    } : f32[B,8]
    return %6
  } : f32[B,8]
  return %2
}
""",
}
