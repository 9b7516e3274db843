// Loads nothing but the plugin's one function.
extern "C" int plugin_answer();

int main() { return plugin_answer(); }
