import { icon } from '../../components/icons.tsx'

/** Icons of kinds of checks, drawn for this page in the manner of the others. Only the pages that add a monitor load them. */

export const Arrows = icon('M8 3 4 7l4 4M4 7h16M16 21l4-4-4-4M20 17H4')
export const Box = icon('M21 16V8l-9-5-9 5v8l9 5zM3 8l9 5 9-5M12 13v8')
export const Broadcast = icon(
  'M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4M8 16a5.7 5.7 0 0 1 0-8M16 8a5.7 5.7 0 0 1 0 8M5 19a9.9 9.9 0 0 1 0-14M19 5a9.9 9.9 0 0 1 0 14',
)
export const Clock = icon('M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2')
export const Database = icon('M4 5a8 3 0 1 0 16 0a8 3 0 1 0 -16 0M4 5v14a8 3 0 0 0 16 0V5M4 12a8 3 0 0 0 16 0')
export const Folder = icon('M4 4h5l2 3h9a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z')
export const Group = icon('M9 3h6v6H9zM2 15h6v6H2zM16 15h6v6h-6zM12 9v3M5 15v-3h14v3')
export const Hash = icon('M4 9h16M4 15h16M10 3 8 21M16 3l-2 18')
export const Inbox = icon('M22 12h-6l-2 3h-4l-2-3H2M5.5 5h13L22 12v6a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-6z')
export const Key = icon('M7.5 20a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M11 12.5 20 3.5M16 7.5l3 3')
export const Layers = icon('M12 2 2 7l10 5 10-5zM2 12l10 5 10-5M2 17l10 5 10-5')
export const Leaf = icon('M12 22v-4M12 18c-4-2-6-5-5-9 1-3 3-5 5-7 2 2 4 4 5 7 1 4-1 7-5 9z')
export const Lock = icon('M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM7 11V7a5 5 0 0 1 10 0v4')
export const Mail = icon('M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM22 7l-10 6L2 7')
export const Plug = icon('M12 22v-5M9 8V2M15 8V2M18 8v5a4 4 0 0 1-4 4h-4a4 4 0 0 1-4-4V8z')
export const Steps = icon('M3 6l1.5 1.5L7 5M3 12l1.5 1.5L7 11M3 18l1.5 1.5L7 17M11 6h10M11 12h10M11 18h10')
export const Terminal = icon('M4 17l6-5-6-5M12 19h8')
