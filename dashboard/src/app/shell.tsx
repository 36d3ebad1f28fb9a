import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { CircleUserRound, LogOut, Search } from '../components/icons.tsx'
import { IconButton } from '../components/button.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../components/menu.tsx'
import { useViewer } from '../lib/api.ts'
import { changePreferences, type Theme, usePreferences } from '../lib/preferences.ts'
import { viewerZone } from '../lib/time.ts'
import { useMedia } from '../lib/use-media.ts'
import { messages } from '../messages/index.ts'
import { KeyboardShortcuts, PALETTE_EVENT } from './keyboard-shortcuts.tsx'
import { useNavigation, WITHOUT_SECTION } from './navigation.ts'
import { OrganizationSwitch } from './organization-switch.tsx'

const { nav } = messages

/** The navigation is at the side on wide screens and at the bottom on narrow ones. */
export function Shell() {
  return (
    <div className="min-h-dvh lg:pl-56">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {nav.skip}
      </a>
      <header className="sticky top-0 z-20 flex h-13 items-center gap-2 border-line border-b bg-surface px-4 lg:fixed lg:inset-y-0 lg:left-0 lg:h-auto lg:w-56 lg:flex-col lg:items-stretch lg:gap-0 lg:border-r lg:border-b-0 lg:px-3 lg:py-4">
        <Link to="/" className="flex items-center gap-2.5 font-bold text-[1.15rem] tracking-tight lg:mb-4 lg:px-2">
          <img src="/icon.svg" alt="" width="26" height="26" />
          <span className="max-[420px]:sr-only">{messages.brand}</span>
        </Link>
        <div className="ml-auto min-w-0 lg:mb-3 lg:ml-0">
          <OrganizationSwitch />
        </div>
        <nav
          aria-label={nav.label}
          className="fixed inset-x-0 bottom-0 z-20 flex border-line border-t bg-surface px-1 pb-[env(safe-area-inset-bottom)] lg:static lg:flex-col lg:gap-0.5 lg:border-t-0 lg:px-0 lg:pb-0"
        >
          {useNavigation().map(({ to, label, shortLabel, isWide, Icon, Badge }) => (
            <Link
              key={to}
              to={to}
              params={WITHOUT_SECTION}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className={`${isWide ? 'max-lg:hidden' : ''} relative flex flex-auto flex-col items-center gap-0.5 py-1.5 text-[0.76rem] text-soft max-[360px]:text-[0.68rem] max-[360px]:tracking-tighter hover:text-text data-[status=active]:font-semibold data-[status=active]:text-accent lg:flex-none lg:flex-row lg:gap-2.5 lg:rounded-lg lg:px-2.5 lg:py-2 lg:text-[1rem] lg:hover:bg-hover lg:data-[status=active]:bg-accent-ground`}
            >
              <Icon size={18} aria-hidden="true" />
              <span className={shortLabel === undefined ? '' : 'max-lg:hidden'}>{label}</span>
              {shortLabel !== undefined && <span className="lg:hidden">{shortLabel}</span>}
              {Badge && <Badge />}
            </Link>
          ))}
        </nav>
        <Zone className="hidden lg:mt-auto lg:block" />
        <div className="flex items-center lg:justify-between">
          <a
            href="/docs/"
            className="hidden items-center gap-2 whitespace-nowrap rounded-lg py-2 pr-1 pl-2.5 text-muted hover:bg-hover hover:text-text lg:flex"
          >
            {nav.api}
          </a>
          <IconButton
            label={messages.palette.open}
            onClick={() => document.dispatchEvent(new CustomEvent(PALETTE_EVENT))}
            className="lg:ml-auto"
          >
            <Search size={19} />
          </IconButton>
          <AccountMenu />
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto max-w-[92rem] px-4 pt-5 pb-24 outline-none sm:px-6 lg:px-8 lg:pt-7 lg:pb-12"
      >
        <Outlet />
      </main>
      <KeyboardShortcuts />
    </div>
  )
}

/** What has no room at the bottom of a narrow screen. */
function WidePages() {
  const navigate = useNavigate()
  const isNarrow = useMedia('(width < 64rem)')
  const pages = useNavigation().filter(({ isWide }) => isWide && isNarrow)
  return pages.map(({ to, label, Icon }) => (
    <MenuItem key={to} onSelect={() => void navigate({ to, params: WITHOUT_SECTION })}>
      <Icon size={16} aria-hidden="true" />
      {label}
    </MenuItem>
  ))
}

/** Which zone the times are in. */
function Zone({ className }: { className: string }) {
  // Read again when it is changed.
  usePreferences()
  return <p className={`px-2.5 pb-1 text-[0.86rem] text-muted ${className}`}>{messages.range.zone(viewerZone())}</p>
}

const THEMES: readonly { value: Theme; label: string }[] = (['system', 'light', 'dark'] as const).map((value) => ({
  value,
  label: messages.theme[value],
}))

function AccountMenu() {
  const { me, signOut } = useViewer()
  const { theme } = usePreferences()
  return (
    <Menu
      trigger={
        <IconButton label={nav.account}>
          <CircleUserRound size={20} />
        </IconButton>
      }
    >
      <p className="max-w-64 truncate px-2.5 pt-1 pb-1.5 font-semibold" title={me.email}>
        {me.name ?? me.email}
      </p>
      <Zone className="lg:hidden" />
      <WidePages />
      <MenuLine />
      <MenuChoice
        label={messages.theme.label}
        value={theme}
        options={THEMES}
        onChoose={(chosen) => changePreferences({ theme: chosen })}
      />
      <MenuLine />
      <MenuItem onSelect={signOut}>
        <LogOut size={16} aria-hidden="true" />
        {nav.signOut}
      </MenuItem>
    </Menu>
  )
}
