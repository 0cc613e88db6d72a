pull();
