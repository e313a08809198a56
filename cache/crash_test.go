package cache

const childEnv = "LOCUS_TEST_CACHE"

func child(dir string) {}
