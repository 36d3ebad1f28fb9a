import { locale } from '../messages/language.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** `Mon, 30 Nov, 09:00`: people know their shifts by the day of the week. */
export function shiftTime(timestamp: string, zone: string): string {
  const options = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const
  const format = formats.get(zone) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
  formats.set(zone, format)
  return format.format(Date.parse(timestamp))
}
