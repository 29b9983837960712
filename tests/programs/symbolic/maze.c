// A walk through a maze, each step an unknown letter. A walk ends at a wall, at a letter that is no direction, at the exit or after
// STEPS steps, and each is a path. With W(p, s) for the walks from a place p with s steps left, W(p, 0) = 1 and W(p, s) is 1 for other letters, 1 for
// each wall or exit beside p and W(q, s - 1) for each free place q beside p. From the start one place is free: W = 1 + 3 + 1 = 5 with one step. There two are
// free, and two at the places beside: 4 + (1 + 2 + 2) = 9, then 4 + (3 + 5 + (1 + 2 + 2)) = 17.
//@ check --cflag=-DSTEPS=1: safe executions=5 blocked=0
//@ check --cflag=-DSTEPS=2: safe executions=9 blocked=0
//@ check --cflag=-DSTEPS=3: safe executions=17 blocked=0
//@ check --cflag=-DSTEPS=14: safe executions=15181 blocked=0
// The exit is 18 steps away.
//@ check --cflag=-DSTEPS=18 --cflag=-DLEAST=18: safe executions=235769 blocked=0
//@ check --cflag=-DSTEPS=18 --cflag=-DLEAST=19: bug assertion executions=235769
#include <assert.h>
#include <gordian.h>

#ifndef STEPS
#define STEPS 3
#endif
#ifndef LEAST
#define LEAST 18
#endif

static const char maze[9][12] = {
    "###########",
    "#@  #     #",
    "### # ### #",
    "#   #   # #",
    "# ##### # #",
    "#     #   #",
    "# ### ### #",
    "#   #    $#",
    "###########",
};

int main(void)
{
    char moves[STEPS];
    int x = 1, y = 1;
    gordian_symbolic(moves, sizeof moves, "moves");
    for (int n = 0; n < STEPS; n++) {
        switch (moves[n]) {
        case 'l':
            x--;
            break;
        case 'r':
            x++;
            break;
        case 'u':
            y--;
            break;
        case 'd':
            y++;
            break;
        default:
            return 1;
        }
        assert(0 <= x && x < 11 && 0 <= y && y < 9);
        if (maze[y][x] == '#')
            return 2;
        if (maze[y][x] == '$') {
            assert(n + 1 >= LEAST); //~ BUG assertion
            return 3;
        }
    }
    return 0;
}
