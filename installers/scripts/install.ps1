# Installs the Vedette agent on a Windows host. Downloads are unpacked and run only after the release and the hash of the file are
# verified. A truncated script does nothing: the last line calls Main.
#   & ([scriptblock]::Create((irm https://vedette.example.com/install.ps1))) vdt_enr_...
[CmdletBinding()]
param(
  [Parameter(Position = 0)]
  [string]$Token,
  [string]$Url,
  [string]$ApiKeyFile,
  [switch]$AllowHttp,
  [string]$CaFile,
  [string]$Proxy,
  [string]$Releases,
  [string]$Keys,
  [string]$ManifestSha256,
  [switch]$NoStart,
  [switch]$DryRun,
  [switch]$Uninstall,
  [switch]$Purge
)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

# Filled in by the backend that serves this script; empty in other copies.
$BackendUrl = ''
$ReleasesUrl = ''
$BackendManifestSha256 = ''
$ReleaseKeys = ''
$AgentVersion = ''

$Prefix = Join-Path $env:ProgramFiles 'Vedette Agent'
$Data = Join-Path $env:ProgramData 'Vedette'
# A release has one file with Node inside; the agent of the backend has Node next to it.
$ProgramName = if ($AgentVersion) { 'bin\vedette-agent.cmd' } else { 'bin\vedette-agent.exe' }
$Program = Join-Path $Prefix $ProgramName
$Task = 'Vedette agent'
# The .msi looks for this.
$Registry = 'HKLM:\Software\Vedette'

# Every change of the host goes through here.
function Invoke-Change([string]$Words, [scriptblock]$Change) {
  if ($DryRun) { Write-Output "would: $Words" } else { & $Change }
}

function Get-File([string]$Address, [string]$Path) {
  $more = @{}
  if ($Proxy) { $more.Proxy = $Proxy }
  Invoke-WebRequest -UseBasicParsing -Uri $Address -OutFile $Path @more
}

function Get-Sha256([string]$Path) { (Get-FileHash -Algorithm SHA256 -LiteralPath $Path).Hash.ToLowerInvariant() }

# The program that verified the signature of a file, which only the ssh-keygen of an installed OpenSSH can; '' without it. Throws if
# the signature is invalid.
function Confirm-Signature([string]$Folder, [string]$Path, [string]$Signature, [string]$Pem) {
  $signers = @($Pem -split "`n" | Where-Object { $_ -match '^# ssh-ed25519 ' } | ForEach-Object { 'release ' + $_.Substring(2).Trim() })
  $keygen = Get-Command ssh-keygen -ErrorAction SilentlyContinue
  if (-not $keygen -or $signers.Count -eq 0) { return '' }
  $allowed = Join-Path $Folder 'signers'
  [IO.File]::WriteAllText($allowed, ($signers -join "`n") + "`n")
  & cmd /c "`"$($keygen.Source)`" -Y verify -f `"$allowed`" -I release -n vedette-release -s `"$Signature`" < `"$Path`"" | Out-Null
  if ($LASTEXITCODE -ne 0) { throw "REFUSED: the signature of $(Split-Path -Leaf $Path) is invalid" }
  return 'ssh-keygen'
}

# Without ssh-keygen the hash that the backend wrote into this script decides: the backend verifies the signature itself.
function Confirm-Manifest([string]$Folder, [string]$Digest, [string]$Pem) {
  $manifest = Join-Path $Folder 'manifest.json'
  if ($Digest -and (Get-Sha256 $manifest) -ne $Digest) { throw 'REFUSED: the manifest is not the one that the backend verified' }
  $verifier = Confirm-Signature $Folder $manifest "$manifest.sshsig" $Pem
  if ($verifier) { return $verifier }
  if ($Digest) { return 'the hash from the backend' }
  throw 'no program here can verify the signature: use OpenSSH 8.1 with -Keys, or -ManifestSha256'
}

# The agent of the backend, with Node. Without ssh-keygen it is as trustworthy as this script, which came by the same way.
function Get-Agent([string]$Folder) {
  $archive = Join-Path $Folder 'agent.tar.gz'
  Get-File "$Url/agent/win-x64" $archive
  Get-File "$Url/agent/win-x64.sig" "$archive.sig"
  $verifier = Confirm-Signature $Folder $archive "$archive.sig" $Keys
  if ($verifier) { Write-Host "verified by ${verifier}: the agent of $Url" }
  else { Write-Host "not verified, because OpenSSH is not installed: the agent of $Url" }
  return @{ Archive = $archive; Version = $AgentVersion; Sequence = 0; Arch = 'x64'; Pem = $Keys }
}

function Get-Release([string]$Folder) {
  foreach ($name in 'manifest.json', 'manifest.json.sig', 'manifest.json.sshsig') { Get-File "$Releases/$name" (Join-Path $Folder $name) }
  $verifier = Confirm-Manifest $Folder $ManifestSha256 $Keys
  Write-Host "verified by ${verifier}: the manifest of $Releases"
  $manifest = Get-Content -Raw -Encoding UTF8 (Join-Path $Folder 'manifest.json') | ConvertFrom-Json
  if ($manifest.format -ne 'vedette-release-1') { throw 'the manifest has a newer format: use a newer install.ps1' }
  if ([DateTimeOffset]$manifest.expires_at -le [DateTimeOffset]::UtcNow) { throw 'REFUSED: the manifest has expired' }
  $record = Join-Path $Prefix 'install.json'
  if (Test-Path $record) {
    $known = (Get-Content -Raw $record | ConvertFrom-Json).sequence
    if ($manifest.sequence -lt $known) { throw "REFUSED: the release ($($manifest.sequence)) is older than the installed one ($known)" }
  }
  $arch = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'x64' }
  $name = "vedette-agent-$($manifest.version)-win-$arch.zip"
  $artefact = $manifest.artefacts | Where-Object { $_.name -eq $name }
  if (-not $artefact) { throw "the release has no agent for win-$arch" }
  $archive = Join-Path $Folder $name
  Get-File "$Releases/$name" $archive
  if ((Get-Sha256 $archive) -ne $artefact.sha256) { throw "REFUSED: $name is not the signed file" }
  Write-Host "verified by sha256: $name"
  return @{ Archive = $archive; Version = $manifest.version; Sequence = $manifest.sequence; Arch = $arch; Pem = $Keys }
}

# One agent on a host: of two ways to install, the later one is refused before it changes anything.
function Assert-NoOther {
  if (-not (Test-Path -LiteralPath (Join-Path $env:ProgramFiles 'Vedette\vedette-agent.exe'))) { return }
  throw 'the .msi or the set-up program installed an agent on this host: remove it in Settings first; config, state and registration stay'
}

# A folder that another account made first would keep its owner and its config. LocalService owns what the agent writes.
function Assert-OwnData {
  if (-not (Test-Path -LiteralPath $Data)) { return }
  if ((Get-Acl -LiteralPath $Data).Sddl -notmatch '^O:(BA|SY)' -or (Get-Item -Force -LiteralPath $Data).Attributes -match 'ReparsePoint') {
    throw "$Data belongs to another account or is a link: delete it first"
  }
  foreach ($item in Get-ChildItem -LiteralPath $Data -Recurse -Force) {
    if ((Get-Acl -LiteralPath $item.FullName).Sddl -notmatch '^O:(BA|SY|LS)' -or $item.Attributes -match 'ReparsePoint') {
      throw "$($item.FullName) belongs to another account or is a link: delete it first"
    }
  }
}

function Install-Files($Release, [string]$Folder) {
  Invoke-Change "unpack into $Prefix" {
    $unpacked = Join-Path $Folder 'unpacked'
    if ($Release.Archive.EndsWith('.tar.gz')) {
      New-Item -ItemType Directory $unpacked | Out-Null
      & tar.exe -xf $Release.Archive -C $unpacked
      if ($LASTEXITCODE -ne 0) { throw "$($Release.Archive) cannot be unpacked" }
    } else { Expand-Archive -LiteralPath $Release.Archive -DestinationPath $unpacked }
    $top = (Get-ChildItem $unpacked | Select-Object -First 1).FullName
    $said = & (Join-Path $top $ProgramName) version
    if ($said -ne $Release.Version) { throw 'the program does not run on this host' }
    Stop-ScheduledTask -TaskName $Task -ErrorAction SilentlyContinue
    if (Test-Path $Prefix) { Remove-Item -Recurse -Force $Prefix }
    Move-Item $top $Prefix
    $record = @{ releases_url = $Releases; os = 'win'; arch = $Release.Arch; sequence = $Release.Sequence }
    $record | ConvertTo-Json | Set-Content -Encoding ASCII (Join-Path $Prefix 'install.json')
    New-Item -Force -Path $Registry | Out-Null
    Set-ItemProperty -Path $Registry -Name ScriptFolder -Value $Prefix
  }
}

# Only LocalService, SYSTEM and administrators can read config and state.
function Protect-Data {
  Invoke-Change "create $Data, readable by LocalService, SYSTEM and administrators only" {
    New-Item -ItemType Directory -Force (Join-Path $Data 'state') | Out-Null
    & icacls $Data /inheritance:r /grant:r '*S-1-5-19:(OI)(CI)M' '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "the permissions of $Data cannot be set" }
    # Until now any user could create files in a new folder.
    Assert-OwnData
    $config = Join-Path $Data 'agent.yaml'
    if ($CaFile) {
      Copy-Item $CaFile (Join-Path $Data 'ca.pem')
      if (-not (Test-Path $config)) { [IO.File]::WriteAllText($config, "ca_file: '$(Join-Path $Data 'ca.pem')'`n") }
    }
  }
}

function Register-Host {
  if (-not $ApiKeyFile -and -not $Token) { return }
  Invoke-Change "register this host at $Url" {
    $arguments = @('register', '--url', $Url)
    if ($ApiKeyFile) { $arguments += '--api-key-file', $ApiKeyFile } else { $env:VEDETTE_API_KEY = $Token }
    if ($AllowHttp) { $arguments += '--allow-http' }
    if ($Proxy) { $env:HTTPS_PROXY = $Proxy; $env:HTTP_PROXY = $Proxy }
    & $Program @arguments
    $code = $LASTEXITCODE
    $env:VEDETTE_API_KEY = $null
    if ($code -eq 0) { return }
    if (Test-Path (Join-Path $Data 'state\identity.json')) { Write-Output 'the registration failed: the agent goes on with the one that it has' }
    else { throw 'the program is installed, but the registration failed' }
  }
}

function Register-Start {
  Invoke-Change "create the task '$Task': at start-up, as LocalService, restarted when it fails" {
    $action = if ($AgentVersion) {
      $lib = Join-Path $Prefix 'lib\vedette'
      $flags = (Get-Content -Raw (Join-Path $lib 'node-flags.txt')).Trim()
      New-ScheduledTaskAction -Execute (Join-Path $lib 'node.exe') -Argument "$flags `"$lib\vedette-agent.cjs`" run"
    } else { New-ScheduledTaskAction -Execute $Program -Argument 'run' }
    $who = New-ScheduledTaskPrincipal -UserId 'S-1-5-19' -LogonType ServiceAccount
    $how = New-ScheduledTaskSettingsSet -RestartCount 999 -RestartInterval (New-TimeSpan -Minutes 1) -ExecutionTimeLimit ([TimeSpan]::Zero) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
    Register-ScheduledTask -Force -TaskName $Task -Action $action -Principal $who -Settings $how -Trigger (New-ScheduledTaskTrigger -AtStartup) | Out-Null
    if (-not $NoStart -and (Test-Path (Join-Path $Data 'state\identity.json'))) { Start-ScheduledTask -TaskName $Task }
  }
}

function Uninstall-Agent {
  Invoke-Change "remove the task '$Task' and $Prefix" {
    Stop-ScheduledTask -TaskName $Task -ErrorAction SilentlyContinue
    Unregister-ScheduledTask -TaskName $Task -Confirm:$false -ErrorAction SilentlyContinue
    if (Test-Path $Prefix) { Remove-Item -Recurse -Force $Prefix }
    if (Test-Path $Registry) { Remove-Item -Recurse -Force $Registry }
  }
  if ($Purge) { Invoke-Change "remove $Data" { if (Test-Path $Data) { Remove-Item -Recurse -Force $Data } } }
}

function Main {
  if (-not $Url) { $script:Url = $BackendUrl }
  $script:Url = $Url.TrimEnd('/')
  if (-not $Releases -and -not $AgentVersion) { $script:Releases = if ($ReleasesUrl) { $ReleasesUrl } else { "$Url/releases" } }
  if ($Releases -and $AgentVersion) { throw 'this script installs the agent of its backend: use that of the release' }
  if (-not $ManifestSha256) { $script:ManifestSha256 = $BackendManifestSha256 }
  $script:Keys = if ($Keys) { Get-Content -Raw $Keys } else { $ReleaseKeys }
  $identity = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
  if (-not $DryRun -and -not $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) { throw 'run it as administrator' }
  Assert-NoOther
  if ($Uninstall) { Uninstall-Agent; return }
  if (-not $Url) { throw 'the address of the backend is missing: -Url' }
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
  $folder = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
  New-Item -ItemType Directory $folder | Out-Null
  try {
    Assert-OwnData
    $release = if ($AgentVersion) { Get-Agent $folder } else { Get-Release $folder }
    Install-Files $release $folder
    Protect-Data
    Register-Host
    Register-Start
    Write-Output "vedette-agent $($release.Version) is installed"
  } finally { Remove-Item -Recurse -Force $folder }
}

Main
