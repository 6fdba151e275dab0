-- SPDX-License-Identifier: MIT
-- The pages of the manual, by their paths in the source tree.  Environment: MANUAL_MAP is a file with a line "path TAB page" for each.

local pages = {}
for line in io.lines(os.getenv 'MANUAL_MAP') do
  local from, to = line:match '^(.-)\t(.+)$'
  pages[from] = to
end
return pages
