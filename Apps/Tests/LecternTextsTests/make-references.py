"""Prints generated references, each with the OSIS references that pythonbible reads: `text <tab> OSIS`.

Usage: make-references.py SEED COUNT
"""

import random
import sys

import pythonbible as bible

OSIS = dict(
    zip(
        [book for book in bible.Book if book.value <= 66],
        "Gen Exod Lev Num Deut Josh Judg Ruth 1Sam 2Sam 1Kgs 2Kgs 1Chr 2Chr Ezra Neh Esth Job Ps Prov Eccl Song Isa Jer "
        "Lam Ezek Dan Hos Joel Amos Obad Jonah Mic Nah Hab Zeph Hag Zech Mal Matt Mark Luke John Acts Rom 1Cor 2Cor Gal "
        "Eph Phil Col 1Thess 2Thess 1Tim 2Tim Titus Phlm Heb Jas 1Pet 2Pet 1John 2John 3John Jude Rev".split(),
    )
)


def names(book):
    """Returns names of a book: the title, and the abbreviations that pythonbible lists."""
    title = book.title
    found = {title, title.upper(), title.lower()}
    for abbreviation in book.abbreviations:
        found.add(abbreviation)
        found.add(abbreviation + ".")
    if title[0] in "123" and title[1] == " ":
        number, rest = title.split(" ", 1)
        index = int(number) - 1
        found |= {f"{ordinal} {rest}" for ordinal in (["I", "II", "III"][index], ["First", "Second", "Third"][index])}
        found.add(number + rest)
    return sorted(found)


def osis(reference):
    """Returns the OSIS text of a reference of pythonbible."""
    book = OSIS[reference.book]
    if reference.start_chapter is None:
        return book
    first = f"{book}.{reference.start_chapter}"
    last = f"{book}.{reference.end_chapter}"
    if reference.start_verse is not None:
        first += f".{reference.start_verse}"
    if reference.end_verse is not None:
        last += f".{reference.end_verse}"
    return first if first == last else f"{first}-{last}"


def place(numbers, book):
    chapter = numbers.randint(1, bible.get_number_of_chapters(book))
    return chapter, numbers.randint(1, bible.get_number_of_verses(book, chapter))


def generate(numbers):
    """Returns a reference as a person could type it."""
    book = numbers.choice(list(OSIS))
    name = numbers.choice(names(book))
    colon = numbers.choice([":", ":", "."])
    (chapter, verse), (other, end) = sorted([place(numbers, book), place(numbers, book)])
    last = bible.get_number_of_verses(book, chapter)
    text = numbers.choice(
        [
            f"{name}",
            f"{name} {chapter}",
            f"{name} {chapter}{colon}{verse}",
            f"{name} {chapter}{colon}{verse}",
            f"{name} {chapter}{colon}{verse}-{numbers.randint(verse, last)}",
            f"{name} {chapter}{colon}{verse} - {numbers.randint(verse, last)}",
            f"{name} {chapter}-{other}" if other > chapter else f"{name} {chapter}",
            f"{name} {chapter}{colon}{verse}-{other}{colon}{end}",
            f"{name} {chapter}{colon}{verse},{numbers.randint(1, last)}",
            f"{name} {chapter}{colon}{verse}, {other}{colon}{end}",
        ]
    )
    return text


def main():
    numbers = random.Random(int(sys.argv[1]))
    count = int(sys.argv[2])
    printed = 0
    while printed < count:
        text = generate(numbers)
        references = bible.get_references(text)
        if not references:
            continue
        print(text, " ".join(osis(reference) for reference in references), sep="\t")
        printed += 1


main()
