// A function without a body and without a model is named in the verdict.
//@ check --strategy exhaustive: inconclusive message="frobnicate_the_widget"
extern int frobnicate_the_widget(int n);

int main(void)
{
    return frobnicate_the_widget(3);
}
