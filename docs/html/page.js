// SPDX-License-Identifier: MIT
// What a page of the manual does beside the search: blocks can be copied, tables say that they scroll, and the list of what is
// on the page stands open where there is room for it.
"use strict";

(() => {
    // The commands of a transcript, without prompts and without what they print; of any other block all of it.
    function textOf(block) {
        const commands = [...block.querySelectorAll(".command")].map(command => command.textContent);
        return (commands.length > 0 ? commands.join("\n") : block.textContent.replace(/\n$/, "")) + "\n";
    }

    async function copy(text) {
        if (navigator.clipboard)
            return navigator.clipboard.writeText(text);
        // Browsers give no clipboard to pages of plain HTTP.
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        if (!done)
            throw new Error("copying is not allowed");
    }

    for (const block of document.querySelectorAll("main pre")) {
        const frame = document.createElement("div");
        const button = document.createElement("button");
        frame.className = "code";
        button.type = "button";
        button.textContent = "Copy";
        button.addEventListener("click", async () => {
            button.textContent = await copy(textOf(block)).then(() => "Copied", () => "Not allowed");
            setTimeout(() => { button.textContent = "Copy"; }, 1500);
        });
        block.replaceWith(frame);
        frame.append(block, button);
    }

    // Tables of sentences become lists on a phone (manual.css): those of three columns and more with words in most cells.
    for (const table of document.querySelectorAll("main table")) {
        const heads = [...table.querySelectorAll("thead th")].map(head => head.textContent);
        const cells = [...table.querySelectorAll("tbody td")];
        const words = cells.filter(cell => cell.textContent.length > 30).length;
        if (heads.length < 3 || words * 3 < cells.length)
            continue;
        table.classList.add("sentences");
        for (const cell of cells)
            if (heads[cell.cellIndex])
                cell.dataset.head = heads[cell.cellIndex];
    }

    // A short piece of code in a table is one line.  Any other breaks at its spaces alone: a browser would break it behind a hyphen.
    for (const code of document.querySelectorAll("main :not(pre) > code")) {
        if (code.children.length > 0 || !code.textContent.includes("-") && !code.closest("td"))
            continue;
        if (code.closest("td") && code.textContent.length <= 24) {
            code.classList.add("whole");
            continue;
        }
        code.replaceChildren(...code.textContent.split(/( +)/).map(word => {
            const whole = document.createElement("span");
            whole.textContent = word;
            if (word.length <= 24)
                whole.className = "whole";
            return word.trim() === "" ? word : whole;
        }));
    }

    // What is wider than its frame can be scrolled by the keyboard, and says so.
    const frames = document.querySelectorAll(".scroll, main pre");
    function measure() {
        for (const frame of frames) {
            const wide = frame.scrollWidth > frame.clientWidth + 1;
            frame.classList.toggle("wide", wide);
            if (wide)
                frame.tabIndex = 0;
            else
                frame.removeAttribute("tabindex");
        }
    }
    addEventListener("resize", measure);
    addEventListener("load", measure);
    measure();

    // The name behind the # of the address.
    function placeOf(hash) {
        try {
            return decodeURIComponent(hash.slice(1));
        } catch {
            return ""; // a stray percent sign names no place
        }
    }

    // What an address leads to is not folded.
    function unfold() {
        const target = document.getElementById(placeOf(location.hash));
        for (let at = target?.closest("details"); at; at = at.parentElement.closest("details"))
            at.open = true;
        if (target?.closest("main details"))
            target.scrollIntoView();
    }
    addEventListener("hashchange", unfold);
    unfold();

    // The entry of this page is in sight, and what is folded around it open.
    const here = document.querySelector("nav [aria-current]");
    here?.closest("details")?.setAttribute("open", "");
    if (here && matchMedia("(min-width: 60rem)").matches) {
        const nav = here.closest("nav");
        nav.scrollTop = here.offsetTop - nav.offsetTop - nav.clientHeight / 3;
    }

    const contents = document.querySelector(".toc");
    const room = matchMedia("(min-width: 75rem)");
    if (contents) {
        const follow = () => { contents.open = room.matches; };
        room.addEventListener("change", follow);
        follow();
    }
})();
