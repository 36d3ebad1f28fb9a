import type { PageModel, PagePost } from '../reading/model.ts'
import { encodeId } from '../../../platform/ids.ts'

export const AT = Date.UTC(2026, 10, 24, 19, 30)
export const [SHOP, MAIL] = ['01', '02'].map((end) => encodeId('monitor', `018f0000-0000-7000-8000-0000000000${end}`)) as [
  string,
  string,
]
export const POST_UUID = '018f0000-0000-7000-8000-00000000000a'
export const CONTEXT = { base: '', url: 'https://status.example.com', query: '', isBehind: false, takesSubscribers: false }

/** Texts of members may hold anything. */
export const NASTY = `Ümlaut & <script>"quotes"</script>, comma; semicolon \\ back\nnext line \u0007 ${'🙂'.repeat(40)}`

export const postOf = (own: Partial<PagePost> = {}): PagePost => ({
  id: encodeId('post', POST_UUID),
  type: 'incident',
  title: 'Orders fail',
  impact: 'major',
  status: 'identified',
  components: [SHOP],
  startsAtMs: AT - 3_600_000,
  endsAtMs: null,
  resolvedAtMs: null,
  createdAtMs: AT - 3_600_000,
  updatedAtMs: AT - 600_000,
  updates: [
    { atMs: AT - 600_000, status: 'identified', text: NASTY },
    { atMs: AT - 3_600_000, status: 'investigating', text: 'We look into it.' },
  ],
  ...own,
})

export const maintenanceOf = (own: Partial<PagePost> = {}): PagePost =>
  postOf({
    id: encodeId('post', '018f0000-0000-7000-8000-00000000000b'),
    type: 'maintenance',
    title: NASTY,
    impact: 'minor',
    status: 'scheduled',
    startsAtMs: AT + 86_400_000,
    endsAtMs: AT + 90_000_000,
    updates: [{ atMs: AT - 600_000, status: 'scheduled', text: 'New disks,\n\nthen a restart; 10 minutes' }],
    ...own,
  })

const component = {
  show: ['uptime'],
  days: [],
  uptimePercent: 99.9,
  responseMs: [],
  avgResponseMs: null,
  periods: { '24h': { uptimePercent: 99.9871, avgResponseMs: 120.4 } },
  regions: [],
} as const

export const modelOf = (own: Partial<PageModel> = {}): PageModel => ({
  id: encodeId('statusPage', '018f0000-0000-7000-8000-000000000001'),
  slug: 'acme',
  domain: 'status.example.com',
  title: 'Acme & Söhne',
  description: 'Status of <everything>',
  logo: null,
  accent: null,
  theme: 'auto',
  timeZone: 'Europe/Berlin',
  language: 'en',
  visibility: 'public',
  indexed: true,
  createdAtMs: AT - 40 * 86_400_000,
  readAtMs: AT,
  overall: 'partial_outage',
  sections: [
    {
      name: 'Services',
      components: [
        { ...component, days: [], responseMs: [], regions: [], id: SHOP, name: 'Shop', status: 'down' },
        { ...component, days: [], responseMs: [], regions: [], id: MAIL, name: 'Mail', status: 'paused' },
      ],
    },
  ],
  posts: [maintenanceOf(), postOf()],
  ...own,
})
