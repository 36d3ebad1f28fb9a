import { ALL_STORED, BlockError, type SampleColumns, type Wanted } from '@vedette/shared/metrics/block'
import { fieldIdsOf, placeOf, STORED_GROUPS, type StoredGroup } from '../aggregate/index.ts'
import { toPart, toSamples } from './hour.ts'
import { INSTANTS, pack, readHead, readPart } from './packed/index.ts'
import { joinSections, type Sections } from './sections.ts'

/**
 * All samples of a day. Instants, each group, and the fields that this version does not know are chapters: a head and 24 hours, a
 * section each. A read of some hours of a group takes these hours and the head from its chapter and from that of the instants.
 */
const HOURS = 24
/** Sections of a chapter. */
const CHAPTER = 1 + HOURS
const INSTANTS_CHAPTER = 0
/** 1 has the fields that this version does not know. */
const FIRST_GROUP = 2

const GROUP_IDS = STORED_GROUPS.toSorted((left, right) => placeOf(left) - placeOf(right)).map((group) => fieldIdsOf([group]))
const KNOWN = fieldIdsOf(STORED_GROUPS)

/** The chapters that have the samples of these groups. */
export const chaptersOf = (groups: readonly StoredGroup[]): number[] => [
  INSTANTS_CHAPTER,
  ...groups.map((group) => FIRST_GROUP + placeOf(group)),
]

/** The samples of an hour of the day. */
export interface HourOfDay {
  /** Hours since the epoch. */
  hour: number
  columns: SampleColumns
}

/** Expressions of SQL over the columns `ends`, `data` and a chapter. Arrays begin at 1. */
const startOf = (chapter: string): string => `${chapter} * ${CHAPTER} + 1`
/** Empty where an older version stored the day without this chapter. */
const bytesOf = (from: string, to: string): string =>
  `coalesce(substring(data from ends[${from}] + 1 for ends[${to}] - ends[${from}]), ''::bytea)`
export const CHAPTERS = {
  last: FIRST_GROUP + STORED_GROUPS.length - 1,
  head: bytesOf(startOf('chapter'), `${startOf('chapter')} + 1`),
  /** The hours [from, to) of the day. */
  hours: (from: string, to: string): string =>
    bytesOf(`${startOf('chapter')} + 1 + ${from}`, `${startOf('chapter')} + 1 + ${to}`),
  /** Where these hours begin and end. */
  ends: (from: string, to: string): string => `ends[${startOf('chapter')} + 1 + ${from} : ${startOf('chapter')} + 1 + ${to}]`,
  hasHour: (hour: string): string =>
    `ends[${startOf(String(INSTANTS_CHAPTER))} + 2 + ${hour}] > ends[${startOf(String(INSTANTS_CHAPTER))} + 1 + ${hour}]`,
} as const

export function toSampleSections(day: number, hours: readonly HourOfDay[]): Sections {
  const parts = Array.from({ length: HOURS }, (_, index) => {
    const own = hours.find(({ hour }) => hour === day * HOURS + index)
    return own ? toPart(own.hour, own.columns) : { count: 0, columns: new Map<number, Float64Array>() }
  })
  const found = [...new Set(hours.flatMap(({ columns }) => columns.fieldIds))].sort((left, right) => left - right)
  const chapters = [
    [INSTANTS],
    found.filter((id) => !KNOWN.has(id)),
    ...GROUP_IDS.map((own) => found.filter((id) => own.has(id))),
  ].map((ids) => (ids.length === 0 ? NOTHING : pack(parts, ids)))
  return joinSections(chapters.flatMap(({ head, parts: own }) => [head, ...own]))
}

const NOTHING = { head: new Uint8Array(0), parts: Array.from({ length: HOURS }, () => new Uint8Array(0)) }

/** A chapter as it was read: its head and some hours in a row, and where these begin and end. */
export interface ChapterPart {
  chapter: number
  head: Uint8Array
  data: Uint8Array
  ends: readonly number[]
}

/** The samples of the hours from this one on that have any, with the wanted fields. Throws BlockError. */
export function readHoursOfDay(firstHour: number, chapters: readonly ChapterPart[], wanted: Wanted): HourOfDay[] {
  const opened = chapters.filter(({ data }) => data.length > 0).map((chapter) => ({ ...chapter, packed: readHead(chapter.head) }))
  const instants = opened.find(({ chapter }) => chapter === INSTANTS_CHAPTER)
  if (!instants) return []
  const others = opened.filter((chapter) => chapter !== instants)
  return instants.ends.slice(1).flatMap((_, index): HourOfDay[] => {
    const partOf = ({ packed, data, ends }: (typeof opened)[number], of: Wanted) => {
      const [start, end] = [index, index + 1].map((at) => (ends[at] ?? 0) - (ends[0] ?? 0)) as [number, number]
      if (start > end || end > data.length) throw new BlockError('sections are cut off')
      return readPart(packed, data, start, end, of)
    }
    const at = partOf(instants, ALL_STORED)
    if (at.count === 0) return []
    const hour = firstHour + index
    const parts = others.map((chapter) => partOf(chapter, wanted))
    return [{ hour, columns: toSamples(hour, at, parts) }]
  })
}
