import type { PageLanguage } from '@vedette/shared'
import type { PageModel } from '../reading/model.ts'
import { PAGE_TEXTS, type PageTexts } from './texts.ts'

/** How a page writes times and numbers. */
export interface Formats {
  language: PageLanguage
  texts: PageTexts
  /** `24 Nov 2026, 19:06 CET`. */
  time(ms: number): string
  /** `19:06 CET`. */
  hour(ms: number): string
  /** Of a UTC day. */
  day(ms: number): string
  /** `November 2026`, of a month in the time zone of the page. */
  month(key: string): string
  /** `2026-11`, in the time zone of the page. */
  monthOf(ms: number): string
  /** As the stats give it, up to 4 decimals: on badges. */
  percent(value: number): string
  /** The same in at most two decimals; only what is exactly 100 or 0 says so. */
  uptime(value: number): string
  /** `23 minutes`, `1 hour 5 minutes`. */
  duration(seconds: number): string
  milliseconds(value: number): string
}

/** By language and time zone: to make them takes a millisecond, and there are some hundred zones. */
const made = new Map<string, Formats>()

export function formatsOf({ language, timeZone }: Pick<PageModel, 'language' | 'timeZone'>): Formats {
  const key = `${language} ${timeZone}`
  const formats = made.get(key) ?? makeFormats(language, timeZone)
  made.set(key, formats)
  return formats
}

/** Percent in hundredths: 99.999 is not rounded to 100, nor 0.001 to 0. */
export function boundedHundredths(percent: number): number {
  const rounded = Math.round(percent * 100) / 100
  if (rounded === 100 && percent < 100) return 99.99
  return rounded === 0 && percent > 0 ? 0.01 : rounded
}

function makeFormats(language: PageLanguage, timeZone: string): Formats {
  const locale = language === 'en' ? 'en-GB' : language
  const time = new Intl.DateTimeFormat(locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  })
  const hour = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' })
  const day = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  const month = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' })
  const monthKey = new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit' })
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 })
  const hundredths = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  const unit = (name: 'hour' | 'minute') => new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' })
  const [hours, minutes] = [unit('hour'), unit('minute')]
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  return {
    language,
    texts: PAGE_TEXTS[language],
    time: (ms) => time.format(ms),
    hour: (ms) => hour.format(ms),
    day: (ms) => day.format(ms),
    month: (key) => month.format(Date.parse(`${key}-15T00:00:00Z`)),
    monthOf: (ms) => monthKey.format(ms).slice(0, 7),
    percent: (value) => number.format(value),
    uptime: (value) => hundredths.format(boundedHundredths(value)),
    duration: (seconds) => {
      const all = Math.max(1, Math.round(seconds / 60))
      const [inHours, inMinutes] = [Math.floor(all / 60), all % 60]
      return [inHours > 0 && hours.format(inHours), inMinutes > 0 && minutes.format(inMinutes)].filter(Boolean).join(' ')
    },
    milliseconds: (value) => `${(value < 10 ? hundredths : whole).format(value)} ms`,
  }
}
