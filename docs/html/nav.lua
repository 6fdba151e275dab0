-- SPDX-License-Identifier: MIT
-- The contents beside each page, made of docs/README.md: a heading of it is a group, a row of its tables an entry, with the links
-- to other documents in the row below.  Environment: MANUAL_MAP as in pages.lua; MANUAL_FUNCTIONS has a line "page TAB title" for
-- each manual page of functions, which the entry of the library has below it.  To the file MANUAL_WAY goes a line "page TAB title"
-- for the first link of each row; to MANUAL_GROUPS "page TAB group TAB words" for each link, by which the search ranks: the words are the row's.

local stringify = pandoc.utils.stringify
local pages = dofile((PANDOC_SCRIPT_FILE:gsub('[^/]*$', 'pages.lua')))
local way = assert(io.open(os.getenv 'MANUAL_WAY', 'w'))
local groups = assert(io.open(os.getenv 'MANUAL_GROUPS', 'w'))
local group = ''

-- The page of a link to a document; nil for what is none.
local function document(target)
  local file, anchor = target:match '^([^#]*)(.*)$'
  if not (file:match '%.md$' or file:match '%.[%dh]$') then return nil end
  local path = file:match '^%.%./(.*)$' or 'docs/' .. file
  return assert(pages[path], file) .. anchor
end

local function tell_group(page, words)
  groups:write(page:match '^[^#]*', '\t', group, '\t', words, '\n')
end

-- The links to documents in blocks, as list items; words: what the row says of the first of them.
local function entries(blocks, words)
  local items = {}
  pandoc.Div(blocks):walk {
    Link = function(link)
      local page = document(link.target)
      if not page then return end
      tell_group(page, #items == 0 and words or '')
      items[#items + 1] = {pandoc.Plain {pandoc.Link(link.content, page)}}
    end
  }
  return items
end

-- The pages of functions, folded.
local function functions()
  local items = {}
  for line in io.lines(os.getenv 'MANUAL_FUNCTIONS') do
    local page, title = line:match '^(.-)\t(.+)$'
    tell_group(page, '')
    items[#items + 1] = {pandoc.Plain {pandoc.Link(title, page)}}
  end
  return {
    pandoc.RawBlock('html', '<details><summary>Its pages</summary>'), pandoc.BulletList(items), pandoc.RawBlock('html', '</details>')
  }
end

local function entry(row)
  local first = entries(row.cells[1].contents, stringify(row.cells[2].contents))[1]
  local link = first[1].content[1]
  way:write(link.target, '\t', stringify(link), '\n')
  local below = entries(row.cells[2].contents, '')
  if #below > 0 then first[#first + 1] = pandoc.BulletList(below) end
  if stringify(link) == 'libfrazil(3)' then
    for _, block in ipairs(functions()) do first[#first + 1] = block end
  end
  return first
end

function Pandoc(doc)
  local blocks = {}
  way:write 'index.html\tfrazil\n'
  for _, block in ipairs(doc.blocks) do
    if block.t == 'Header' and block.level == 2 then
      group = stringify(block)
      blocks[#blocks + 1] = pandoc.Div({pandoc.Plain(block.content)}, {class = 'group'})
    elseif block.t == 'Table' then
      local items = {}
      for _, body in ipairs(block.bodies) do
        for _, row in ipairs(body.body) do items[#items + 1] = entry(row) end
      end
      blocks[#blocks + 1] = pandoc.BulletList(items)
    end
  end
  way:close()
  groups:close()
  table.insert(blocks, 1,
    pandoc.Para {pandoc.Link('frazil on one page', 'index.html'), pandoc.LineBreak(), pandoc.Link('All pages', 'contents.html')})
  return pandoc.Pandoc(blocks)
end
