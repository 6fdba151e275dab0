-- SPDX-License-Identifier: MIT
-- A page of the manual in HTML: links lead to pages, wide tables scroll, transcripts know their commands, and the words of
-- the page go into the index of the search.
--
-- Environment: MANUAL_PATH is the page's path in the source tree, MANUAL_PAGE the name of its HTML file; MANUAL_MAP as in
-- pages.lua; MANUAL_INDEX the file to which a line for each section is appended; MANUAL_GROUPS what nav.lua wrote.

local path, page = os.getenv 'MANUAL_PATH', os.getenv 'MANUAL_PAGE'
local stringify = pandoc.utils.stringify
local pages = dofile((PANDOC_SCRIPT_FILE:gsub('[^/]*$', 'pages.lua')))

-- The path that a link of this page means, from the root of the source tree.
local function resolve(target)
  local parts = {}
  for part in (path:match '^(.*/)[^/]*$' or ''):gmatch '[^/]+' do parts[#parts + 1] = part end
  for part in target:gmatch '[^/]+' do
    if part == '..' then
      parts[#parts] = nil
    elseif part ~= '.' then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, '/')
end

local function Link(link)
  if link.classes:includes 'permalink' then return link.content end -- mandoc's, to the place where it stands
  local file, anchor = link.target:match '^([^#]*)(.*)$'
  if file == '' or file:match '^%a+:' then return nil end
  if link.classes:includes 'Xr' and not pages[resolve(file)] then return link.content end -- somebody else's manual page
  local to = pages[resolve(file)] or error(path .. ' links to ' .. file .. ', which has no page')
  link.target = to .. anchor
  return link
end

-- Columns as wide as what stands in them, not as the dashes below their heads.
local function Table(tbl)
  for i, spec in ipairs(tbl.colspecs) do tbl.colspecs[i] = {spec[1], nil} end
  return pandoc.Div({tbl}, {class = 'scroll'})
end

-- Pictures lie beside the pages.
local function Image(image)
  image.src = image.src:match '[^/]*$'
  return image
end

-- A paragraph that is a picture: it scrolls where it would be too small to read.
local function Para(para)
  if #para.content == 1 and para.content[1].t == 'Image' then return pandoc.Div({para}, {class = 'scroll picture'}) end
end

local function escape(text)
  return (text:gsub('[&<>"]', {['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;'}))
end

-- Whether a line is an error, or a finding of the doctor's.
local function is_sentence(line)
  return line:match '^frazil: ' or line:match '^%[%u+%] ' or line:match '^%u+: '
end

-- A transcript: prompts cannot be selected, and commands can be copied without what they print.  Long sentences wrap, also
-- where they stand alone.
local function CodeBlock(block)
  local is_console = ('\n' .. block.text):match '\n%$ '
  if not is_console and (#block.classes > 0 or not is_sentence(block.text)) then return nil end
  local lines, continued = {}, false
  for line in (block.text .. '\n'):gmatch '(.-)\n' do
    local text = escape(line)
    if continued then
      text = '<span class="command">' .. text .. '</span>'
    elseif line:match '^%$ ' then
      text = '<span class="prompt">$ </span><span class="command">' .. escape(line:sub(3)) .. '</span>'
    elseif is_sentence(line) then
      text = '<span class="sentence">' .. text .. '</span>'
    end
    continued = (continued or line:match '^%$ ') and line:match '\\$'
    lines[#lines + 1] = text
  end
  return pandoc.RawBlock('html', (is_console and '<pre class="console">' or '<pre>') .. '<code>' .. table.concat(lines, '\n') .. '</code></pre>')
end

-- What mandoc lays out with tables and sections, as paragraphs: the lines of a synopsis; no head and foot of a sheet.
local from_mandoc = {
  Div = function(div) return div.content end,
  Plain = function(plain) return stringify(plain):match '^%s*$' and {} or nil end,
  Para = function(para) return stringify(para):match '^%s*$' and {} or nil end,
  Table = function(tbl)
    local line = {}
    for _, body in ipairs(tbl.bodies) do
      for _, row in ipairs(body.body) do
        for _, cell in ipairs(row.cells) do
          for _, block in ipairs(cell.contents) do
            for _, inline in ipairs(block.content or {}) do line[#line + 1] = inline end
            line[#line + 1] = pandoc.Space()
          end
        end
      end
    end
    return tbl.classes:includes 'Nm' and pandoc.Para(line) or {}
  end
}

local function json(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end

-- The words of blocks, with a space between them.
local function words(blocks)
  local list = {}
  pandoc.Div(blocks):walk {
    traverse = 'topdown', -- in the order of the page
    Str = function(e) list[#list + 1] = e.text end,
    Space = function() list[#list + 1] = ' ' end,
    SoftBreak = function() list[#list + 1] = ' ' end,
    LineBreak = function() list[#list + 1] = ' ' end,
    Code = function(e) list[#list + 1] = e.text end,
    CodeBlock = function(e) list[#list + 1] = '\n' .. e.text .. '\n' end,
    Para = function() list[#list + 1] = '\n' end,
    Plain = function() list[#list + 1] = '\n' end,
  }
  return (table.concat(list):gsub('%s+', ' '))
end

-- The group of the page in the contents, and what these say of it; empty for one that is not there.
local function group()
  for line in io.lines(os.getenv 'MANUAL_GROUPS') do
    local of, name, said = line:match '^(.-)\t(.-)\t(.*)$'
    if of == page then return name, said end
  end
  return page == 'index.html' and 'Learn' or '', ''
end

local function tell_index(doc, title)
  local own, said = group()
  local out = assert(io.open(os.getenv 'MANUAL_INDEX', 'a'))
  local heading, anchor, section = title, '', {}
  local function tell()
    out:write(('[%s,%s,%s,%s,%s,%s],\n'):format(
      json(page .. anchor), json(title), json(heading), json(words(section)), json(own), json(anchor == '' and said or '')))
  end
  for _, block in ipairs(doc.blocks) do
    if block.t == 'Header' then
      if #section > 0 then tell() end
      heading, anchor, section = stringify(block), block.level == 1 and '' or '#' .. block.identifier, {}
    else
      section[#section + 1] = block
    end
  end
  tell()
  out:close()
end

-- On a page of many tables each is folded below its heading.
local MANY_TABLES = 12

local function fold(blocks)
  local tables = 0
  for _, block in ipairs(blocks) do
    if block.t == 'Div' and block.classes:includes 'scroll' and not block.classes:includes 'picture' then tables = tables + 1 end
  end
  if tables < MANY_TABLES then return blocks end
  local folded, inside = pandoc.List(), false
  local function close()
    if inside then folded:insert(pandoc.RawBlock('html', '</details>')) end
    inside = false
  end
  for i, block in ipairs(blocks) do
    if block.t == 'Header' and block.level <= 3 then close() end
    if block.t == 'Header' and block.level == 3 and blocks[i + 1] and blocks[i + 1].t == 'Div' then
      inside = true
      folded:insert(pandoc.RawBlock('html', '<details><summary>'))
      folded:insert(block)
      folded:insert(pandoc.RawBlock('html', '</summary>'))
    else
      folded:insert(block)
    end
  end
  close()
  return folded
end

function Pandoc(doc)
  if doc.meta.title then doc = doc:walk(from_mandoc) end
  doc = doc:walk {Link = Link, Table = Table, Image = Image, Para = Para}
  local title = stringify(doc.meta.title or doc.blocks[1])
  doc.meta.pagetitle = title
  if os.getenv 'MANUAL_INDEX' then tell_index(doc, title) end
  local first = doc.blocks[1]
  if not doc.meta.title and first.t == 'Header' and first.level == 1 then -- the template's, so that the page's list begins below it
    doc.meta.title, doc.meta['title-id'] = pandoc.MetaInlines(first.content), first.identifier
    doc.blocks:remove(1)
  end
  doc.blocks = fold(doc.blocks)
  return doc:walk {CodeBlock = CodeBlock}
end
