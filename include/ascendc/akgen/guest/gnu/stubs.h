// The C library's list of functions that it only pretends to have: of no use to a guest, which has
// none of them.
