#define OWN_GORDIAN 1
