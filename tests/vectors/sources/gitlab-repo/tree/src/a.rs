fn a() {}

