import type {
  CreateScheduleBody,
  OnCall,
  PatchScheduleBody,
  Schedule,
  ScheduleCalendar,
  ScheduleList,
  ScheduleShifts,
  Shift,
} from '../notifying/schedules.ts'
import { PAGE, USER_ID } from './common.ts'

const layer = {
  user_ids: [USER_ID],
  starts_at: '2026-11-23T08:00:00.000Z',
  repeat: 'FREQ=WEEKLY;BYDAY=MO',
  restrictions: [],
}
const schedule: Schedule = {
  id: 'sch_01m7z5b2dqf4s8y3v6k9x0c1wh',
  name: 'Shop',
  time_zone: 'Europe/Berlin',
  layers: [layer],
  overrides: [],
  handover_mail: true,
  has_calendar: false,
  created_at: '2026-11-21T09:31:12.000Z',
  updated_at: '2026-11-21T09:31:12.000Z',
}
const shift: Shift = {
  user_id: USER_ID,
  email: 'ada@example.com',
  from: '2026-11-23T08:00:00.000Z',
  to: '2026-11-30T08:00:00.000Z',
  layer: 0,
}

export const SCHEDULE_EXAMPLES = {
  CreateScheduleBody: {
    example: { name: 'Shop', time_zone: 'Europe/Berlin', layers: [layer] } satisfies CreateScheduleBody,
  },
  PatchScheduleBody: { example: { overrides: [] } satisfies PatchScheduleBody },
  Schedule: { example: schedule },
  ScheduleCalendar: {
    example: {
      schedule_id: schedule.id,
      calendar_url: 'https://vedette.example.com/calendars/vdt_cal_…',
    } satisfies ScheduleCalendar,
  },
  ScheduleList: { example: { schedules: [schedule], ...PAGE } satisfies ScheduleList },
  OnCall: { example: { at: '2026-11-24T09:00:00.000Z', current: shift, next: null } satisfies OnCall },
  ScheduleShifts: {
    example: {
      from: '2026-11-20T08:00:00.000Z',
      to: '2026-11-30T08:00:00.000Z',
      shifts: [shift],
      gaps: [{ from: '2026-11-20T08:00:00.000Z', to: '2026-11-23T08:00:00.000Z' }],
    } satisfies ScheduleShifts,
  },
}
