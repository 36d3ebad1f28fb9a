import { useSearch } from '@tanstack/react-router'

/** Of a link of a list that the keyboard went to as the next or the previous row. */
export const ROW_EVENT = 'vedette-row'

/** Whether the page of this row is open next to the list. */
export const useIsOpenRow = (id: string): boolean => useSearch({ strict: false, select: ({ open }) => open === id })
