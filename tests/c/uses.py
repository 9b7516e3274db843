#!/usr/bin/env python3
"""The examples in the headers' comments as one C program, in C89, that runs each and wants every status to be SUREFILL_OK.

    uses.py HEADER... > uses.c
"""
import re
import sys

CODE = " *     "


def blocks(section):
    """The lines of code of a section. Blocks after the first have its variables and braces of their own."""
    code, last = [], None
    for line in section.splitlines():
        here = line.startswith(CODE)
        if here and last is False and code:
            code.append("{")
        if not here and last and "{" in code:
            code.append("}")
        if here:
            code.append(line[len(CODE):])
        last = here
    return code


print("#include <surefill_parts.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
print("static void fail(const char *call) { printf(\"FAILED: %s\\n\", call); exit(1); }")
print("#define MUST(call) if ((call) != SUREFILL_OK) fail(#call)\n")
count = 0
for name in sys.argv[1:]:
    with open(name) as header:
        text = header.read()
    for section in re.findall(r"/\* ---- (.*?)\*/", text, re.S):
        code = blocks(section)
        if not code:
            continue
        # Calls that are statements give statuses; those within conditions say themselves what they want.
        code = [re.sub(r"^(\s*(?:if \([^;]*?\) )?)(surefill_\w+\(.*\));$", r"\1MUST(\2);", line) for line in code]
        print(f"static void use_{count}(void) {{ /* {section.splitlines()[0].strip(' -')} */")
        print("\n".join("    " + line for line in code) + "\n}\n")
        count += 1
print("int main(void) {")
print("".join(f"    use_{i}();\n" for i in range(count)), end="")
print(f'    printf("{count} examples\\n");\n    return 0;\n}}')
