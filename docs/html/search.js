// SPDX-License-Identifier: MIT
// The manual's search: all in the page, over the sections that search-index.js holds as [address, page, heading, text].
"use strict";

(() => {
    const most = 20;
    const form = document.querySelector("form[role=search]");
    const input = form.querySelector("input");
    const results = document.getElementById("results");

    const sections = manualIndex.map(([address, page, heading, text]) => ({
        address, page, heading, text,
        title: (heading + " " + page).toLowerCase(),
        lower: text.toLowerCase(),
    }));

    // How well a section answers; 0 if one of the words is in neither its headings nor its text.
    function score(section, words) {
        let sum = 0;
        for (const word of words) {
            const times = section.lower.split(word).length - 1;
            const inTitle = section.title.includes(word);
            if (times === 0 && !inTitle)
                return 0;
            sum += Math.min(times, 5) + (inTitle ? 10 : 0);
        }
        return section.lower.includes(words.join(" ")) ? sum + 5 : sum;
    }

    // Appends text to an element, with the words marked in it.
    function appendMarked(element, text, words) {
        const lower = text.toLowerCase();
        let at = 0;
        while (at < text.length) {
            let next = text.length, length = 0;
            for (const word of words) {
                const found = lower.indexOf(word, at);
                if (found >= 0 && found < next)
                    [next, length] = [found, word.length];
            }
            element.append(text.slice(at, next));
            if (length > 0) {
                const mark = document.createElement("mark");
                mark.textContent = text.slice(next, next + length);
                element.append(mark);
            }
            at = next + length;
        }
    }

    // The text around the first word that is found.
    function excerpt(section, words) {
        const found = Math.min(...words.map(word => section.lower.indexOf(word)).filter(at => at >= 0));
        const from = found > 60 && Number.isFinite(found) ? section.text.indexOf(" ", found - 60) + 1 : 0;
        return (from > 0 ? "… " : "") + section.text.slice(from, from + 220);
    }

    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(word => word !== "");
        results.hidden = words.length === 0;
        results.replaceChildren();
        if (words.length === 0)
            return;
        const found = sections.map(section => [score(section, words), section]).filter(([points]) => points > 0);
        found.sort((a, b) => b[0] - a[0]);
        const list = document.createElement("ol");
        for (const [, section] of found.slice(0, most)) {
            const item = document.createElement("li");
            const link = document.createElement("a");
            const line = document.createElement("p");
            link.href = section.address;
            link.textContent = section.heading === section.page ? section.page : section.page + " › " + section.heading;
            appendMarked(line, excerpt(section, words), words);
            item.append(link, line);
            list.append(item);
        }
        const count = document.createElement("p");
        count.textContent = found.length === 0 ? "Nothing found." :
            found.length > most ? `The best ${most} of ${found.length} sections` : "";
        results.append(list, count);
    }

    form.hidden = false;
    form.addEventListener("submit", event => {
        event.preventDefault();
        results.querySelector("a")?.click();
    });
    input.addEventListener("input", show);
    results.addEventListener("click", event => {
        if (event.target.closest("a")) {
            results.hidden = true;
            input.blur();
        }
    });
    document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== input) {
            event.preventDefault();
            input.focus();
        } else if (event.key === "Escape") {
            input.value = "";
            show();
        }
    });
})();
