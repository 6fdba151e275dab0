// SPDX-License-Identifier: MIT
// The manual's search: all in the page, over the sections that search-index.js holds as [address, page, heading, text, group, words of the contents].
// Whole words count, and beginnings of words; titles come before text, and guides before reference and internals.
"use strict";

(() => {
    const MOST = 12;
    const WEIGHTS = {Learn: 3, Run: 3, "Languages and databases": 3, Reference: 2, Internals: 1};
    // What readers type, and what the manual says.  Without a prototype it has no entry for "constructor".
    const ALSO = {
        __proto__: null,
        js: "javascript", k8s: "kubernetes", license: "licence", postgres: "postgresql", typescript: "node",
        mariadb: "mysql", golang: "go", multi: "several", ulid: "uuid", snowflake: "twitter",
    };

    const dialog = document.getElementById("search");
    const input = dialog.querySelector("input");
    const results = document.getElementById("results");
    const found = document.getElementById("found");
    const opener = document.getElementById("open-search");

    // A name such as frazil_open is a word.
    const wordsOf = text => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

    // How often each word is in a text; of a name each of its parts, too.
    function countsOf(text) {
        const counts = new Map();
        for (const word of wordsOf(text))
            for (const part of word.includes("_") ? [word, ...word.split("_")] : [word])
                counts.set(part, (counts.get(part) ?? 0) + 1);
        return counts;
    }

    let sections = null; // made when the search is first opened

    function readIndex() {
        sections ??= manualIndex.map(([address, page, heading, text, group, words]) => ({
            address, page, heading, text,
            isPage: heading === page,
            weight: WEIGHTS[group] ?? 0.5,
            title: countsOf(page), head: countsOf(heading), body: countsOf(text), contents: countsOf(words),
        }));
    }

    // How often a word is among counted ones, and half as much for words that it begins.
    function times(counts, word) {
        let sum = counts.get(word) ?? 0;
        if (word.length > 1)
            for (const [other, count] of counts)
                if (other !== word && other.startsWith(word))
                    sum += count / 2;
        return sum;
    }

    // How well a section answers a word; 0 if it has none like it.
    function scoreOfWord(section, word) {
        const inTitle = Math.min(times(section.title, word), 1);
        const inHead = Math.min(times(section.head, word), 1);
        const inBody = Math.min(times(section.body, word), 4);
        const inContents = Math.min(times(section.contents, word), 1);
        if (inHead + inBody + inContents === 0)
            return 0;
        return (section.isPage ? 40 : 4) * inTitle + 25 * inContents + 12 * inHead + inBody;
    }

    function score(section, words) {
        let sum = 0;
        for (const word of words) {
            const points = Math.max(scoreOfWord(section, word), ALSO[word] ? 0.8 * scoreOfWord(section, ALSO[word]) : 0);
            if (points === 0)
                return 0;
            sum += points;
        }
        return sum * section.weight;
    }

    // Appends text to an element, with the words marked in it that begin with what was typed.
    function appendMarked(element, text, words) {
        for (const piece of text.split(/([\p{L}\p{N}_]+)/u)) {
            const lower = piece.toLowerCase();
            if (words.some(word => lower.startsWith(word) || lower.startsWith(ALSO[word] ?? "\0"))) {
                const mark = document.createElement("mark");
                mark.textContent = piece;
                element.append(mark);
            } else
                element.append(piece);
        }
    }

    // The text around the first word that is found.
    function excerpt(section, words) {
        const wanted = words.flatMap(word => ALSO[word] ? [word, ALSO[word]] : [word]);
        const first = new RegExp(`(?<![\\p{L}\\p{N}])(${wanted.join("|")})`, "iu").exec(section.text)?.index ?? 0;
        const from = first > 60 ? section.text.indexOf(" ", first - 60) + 1 : 0;
        return (from > 0 ? "… " : "") + section.text.slice(from, from + 160);
    }

    function choose(item) {
        results.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
        item?.setAttribute("aria-selected", "true");
        item?.scrollIntoView({block: "nearest"});
        if (item)
            input.setAttribute("aria-activedescendant", item.id);
        else
            input.removeAttribute("aria-activedescendant");
    }

    function itemOf(section, words, i) {
        const item = document.createElement("li");
        const link = document.createElement("a");
        const line = document.createElement("span");
        item.id = `result-${i}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        link.href = section.address;
        link.tabIndex = -1;
        appendMarked(link, section.isPage ? section.page : section.page + " › " + section.heading, words);
        appendMarked(line, excerpt(section, words), words);
        link.append(line);
        item.append(link);
        item.addEventListener("pointermove", () => choose(item));
        return item;
    }

    function show() {
        const words = wordsOf(input.value);
        const answers = words.length === 0 ? [] : sections.map(section => [score(section, words), section])
            .filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]);
        results.replaceChildren(...answers.slice(0, MOST).map(([, section], i) => itemOf(section, words, i)));
        found.textContent = words.length === 0 ? "" : answers.length === 0 ? "Nothing found." :
            answers.length > MOST ? `The best ${MOST} of ${answers.length} sections` : "";
        choose(results.firstElementChild);
    }

    function open() {
        readIndex();
        if (!dialog.open)
            dialog.showModal();
        input.select();
        show();
    }

    function step(by) {
        const items = [...results.children];
        if (items.length === 0)
            return;
        const at = items.findIndex(item => item.getAttribute("aria-selected") === "true");
        choose(items[(at + by + items.length) % items.length]);
    }

    opener.hidden = false;
    opener.addEventListener("click", open);
    input.addEventListener("input", show);
    input.addEventListener("keydown", event => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            step(event.key === "ArrowDown" ? 1 : -1);
        } else if (event.key === "Enter") {
            event.preventDefault();
            results.querySelector("[aria-selected=true] a")?.click();
        } else if (event.key === "Escape") {
            event.preventDefault(); // a browser would empty the field first
            dialog.close();
        }
    });
    dialog.addEventListener("click", event => {
        if (event.target === dialog || event.target.closest("a"))
            dialog.close();
    });
    document.addEventListener("keydown", event => {
        const isTyping = event.target.closest?.("input, textarea, select");
        if (event.key === "/" && !isTyping || event.key === "k" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            open();
        }
    });
})();
