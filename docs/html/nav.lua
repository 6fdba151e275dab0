-- SPDX-License-Identifier: MIT
-- The contents beside each page, made of docs/README.md: a row of its table is an entry, with the links to other documents in it
-- below.  Environment: MANUAL_MAP as in pages.lua; to the file MANUAL_WAY goes a line "page TAB title" for the first link of each row.

local stringify = pandoc.utils.stringify
local pages = dofile((PANDOC_SCRIPT_FILE:gsub('[^/]*$', 'pages.lua')))

-- The page of a link to a document; nil for what is none.
local function document(target)
  local file, anchor = target:match '^([^#]*)(.*)$'
  if not (file:match '%.md$' or file:match '%.[%dh]$') then return nil end
  local path = file:match '^%.%./(.*)$' or 'docs/' .. file
  return assert(pages[path], file) .. anchor
end

-- The links to documents in an element, as list items.
local function entries(element)
  local items = {}
  element:walk {
    Link = function(link)
      local page = document(link.target)
      if page then items[#items + 1] = {pandoc.Plain {pandoc.Link(link.content, page)}} end
    end
  }
  return items
end

-- A title with the entries below it.
local function entry(title, below)
  local item = {title}
  if #below > 0 then item[2] = pandoc.BulletList(below) end
  return item
end

local way = assert(io.open(os.getenv 'MANUAL_WAY', 'w'))

local function row_entry(row)
  local title, more = row.cells[2].contents, row.cells[3].contents
  local first = entries(pandoc.Div(title))[1]
  if not first then return entry(title[1], entries(pandoc.Div(more))) end
  local link = first[1].content[1]
  if not link.target:match '#' then way:write(link.target, '\t', stringify(link), '\n') end
  return entry(first[1], entries(pandoc.Div(more)))
end

function Pandoc(doc)
  local items = {}
  way:write 'index.html\tfrazil\n'
  for _, block in ipairs(doc.blocks) do
    if block.t == 'Table' then
      for _, body in ipairs(block.bodies) do
        for _, row in ipairs(body.body) do items[#items + 1] = row_entry(row) end
      end
    end
  end
  way:close()
  local top = {pandoc.Link('frazil on one page', 'index.html'), pandoc.LineBreak(), pandoc.Link('The manual', 'contents.html')}
  return pandoc.Pandoc {pandoc.Para(top), pandoc.OrderedList(items)}
end
