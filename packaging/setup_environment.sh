#!/bin/sh
# Sets up .venv for a checkout, and what Qt and the bundled engine need of the system. Usage: setup_environment.sh run|test|pictures
# Does only what is missing: a second call takes a fraction of a second. QTUNE_PYTHON names another Python.
# For tests, also a PostgreSQL server, which the tests of the history start by themselves.
set -eu

cd "$(dirname "$0")/.."
kind=${1:-run}
python=.venv/bin/python

# Shared libraries that the wheels of PySide6 and of the bundled engine (the first) expect of the system, and
# the Debian package that brings each.
SYSTEM_LIBRARIES='
libgomp.so.1            libgomp1
libEGL.so.1             libegl1
libGL.so.1              libgl1
libfontconfig.so.1      libfontconfig1
libfreetype.so.6        libfreetype6
libglib-2.0.so.0        libglib2.0-0
libdbus-1.so.3          libdbus-1-3
libgssapi_krb5.so.2     libgssapi-krb5-2
libbrotlidec.so.1       libbrotli1
libX11-xcb.so.1         libx11-xcb1
libxkbcommon-x11.so.0   libxkbcommon-x11-0
libxcb-cursor.so.0      libxcb-cursor0
libxcb-icccm.so.4       libxcb-icccm4
libxcb-image.so.0       libxcb-image0
libxcb-keysyms.so.1     libxcb-keysyms1
libxcb-randr.so.0       libxcb-randr0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0       libxcb-shape0
libxcb-xkb.so.1         libxcb-xkb1
libwayland-cursor.so.0  libwayland-cursor0
'

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }
is_root() { [ "$(id -u)" = 0 ]; }
has() { command -v "$1" >/dev/null 2>&1; }

suits() { # whether this Python exists and is new enough
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

makes_venv() {
    "$1" -c 'import venv, ensurepip' >/dev/null 2>&1
}

apt_install() { # only as root; the package lists of a fresh machine are empty or old
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    options='-qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120'
    # shellcheck disable=SC2086 # the options are words
    apt-get install $options "$@" >/dev/null 2>&1 && return
    apt-get update -qq >/dev/null 2>&1 || true
    # shellcheck disable=SC2086
    apt-get install $options "$@" >/dev/null
}

find_python() { # prints the newest suitable Python, one that can make a venv if there is one
    second=
    for candidate in ${QTUNE_PYTHON:-python3.13 python3.12 python3.11 python3 python3.14}; do
        suits "$candidate" || continue
        if makes_venv "$candidate"; then
            say "$candidate"
            return
        fi
        second=${second:-$candidate}
    done
    say "$second"
}

make_venv() {
    suits "$python" && "$python" -c 'import pip' 2>/dev/null && return
    base=$(find_python)
    [ -n "$base" ] || fail "qtune needs Python 3.11 or newer, and none was found (QTUNE_PYTHON can name one)."
    if ! makes_venv "$base"; then
        package=python$("$base" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv
        has apt-get || fail "$base cannot make virtual environments; install its venv module."
        is_root || fail "$base cannot make virtual environments yet. Type: sudo apt-get install $package"
        say "Installing $package."
        apt_install "$package" || fail "$package could not be installed."
    fi
    say "Making the virtual environment .venv with $("$base" --version)."
    "$base" -m venv --clear .venv
}

system_libraries() {
    [ "$(uname -s)" = Linux ] || return 0
    ldconfig=$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig) || return 0
    known=$("$ldconfig" -p 2>/dev/null) || return 0
    missing=$(say "$SYSTEM_LIBRARIES" | while read -r library package; do
        [ -z "$library" ] && continue
        case $known in *"$library "*) ;; *) printf ' %s' "$package" ;; esac
    done)
    [ -n "$missing" ] || return 0
    if has apt-get && is_root; then
        say "Installing the system libraries of Qt and the engine:$missing"
        # shellcheck disable=SC2086 # a list of names
        apt_install $missing && return
    fi
    say "Some system libraries are missing, so the window or the bundled engine may not start."
    say "On Debian or Ubuntu, type:"
    say "    sudo apt-get install$missing"
}

test_server() { # Debian's package would start one of its own on a machine with an init system; that does no harm
    [ "$kind" = test ] && [ "$(uname -s)" = Linux ] || return 0
    for initdb in /usr/lib/postgresql/*/bin/initdb; do
        [ -x "$initdb" ] && return 0
    done
    has initdb && return 0
    if has apt-get && is_root; then
        say "Installing PostgreSQL, which the tests of the history start."
        apt_install postgresql && return
    fi
    say "PostgreSQL is not installed, so the tests of a shared history are skipped."
    say "On Debian or Ubuntu, type: sudo apt-get install postgresql"
}

spreadsheet() { # opens exported tables in the tests, which are left out without it; some 300 MB
    [ "$kind" = test ] && [ "$(uname -s)" = Linux ] || return 0
    has soffice && return
    if has apt-get && is_root; then
        say "Installing LibreOffice Calc for the tests of exports."
        apt_install libreoffice-calc-nogui && return
    fi
    say "Without LibreOffice the tests of exported tables are left out."
    say "On Debian or Ubuntu, type: sudo apt-get install libreoffice-calc-nogui"
}

virtual_screen() { # for pictures of the window on a machine without a screen
    [ "$pictures" = yes ] && [ "$(uname -s)" = Linux ] || return 0
    [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || return 0
    has xvfb-run && [ -n "$(fc-list :lang=zh-cn 2>/dev/null)" ] && return 0
    if has apt-get && is_root; then
        say "Installing a screen in memory, and fonts, for the pictures."
        apt_install xvfb xauth fontconfig fonts-dejavu-core fonts-noto-cjk && return
    fi
    fail "Pictures need a screen. On Debian or Ubuntu, type: sudo apt-get install xvfb fonts-noto-cjk"
}

chinese_font() { # a hint only
    [ "$(uname -s)" = Linux ] && has fc-list || return 0
    [ -n "$(fc-list :lang=zh-cn 2>/dev/null)" ] && return 0
    say "No font for Chinese was found; on Debian or Ubuntu, fonts-noto-cjk is one."
}

key() { # changes when one of the files does
    cat "$@" 2>/dev/null | cksum
}

done_already() { # stamp, key
    [ -f ".venv/$1" ] && [ "$(cat ".venv/$1")" = "$2" ]
}

requirements() {
    run_key=$(key requirements/run.txt)
    test_key=$(key requirements/dev.txt)
    case $kind in
        run) done_already qtune-run "$run_key" && return 0; file=requirements/run.txt ;;
        test) done_already qtune-test "$test_key" && return 0; file=requirements/dev.txt ;;
    esac
    say "Installing $file (about 250 MB the first time)."
    "$python" -m pip install -q --disable-pip-version-check --no-input --require-hashes -r "$file"
    # dev.txt holds all of run.txt in the same versions; after run.txt alone, the rest may be of older pins.
    say "$run_key" >.venv/qtune-run
    if [ "$kind" = test ]; then say "$test_key" >.venv/qtune-test; fi
}

qtune_itself() {
    qtune_key=$(key pyproject.toml packaging/hatch_build.py packaging/translations.py resources/i18n/*.ts)
    done_already qtune-editable "$qtune_key" && return
    say "Installing qtune from this folder."
    "$python" -m pip install -q --disable-pip-version-check --no-input --no-deps --no-build-isolation -e .
    say "$qtune_key" >.venv/qtune-editable
    chinese_font
}

pictures=no
if [ "$kind" = pictures ]; then
    pictures=yes
    kind=test
fi
case $kind in run | test) ;; *) fail "Usage: $0 run|test|pictures" ;; esac
make_venv
requirements
system_libraries
test_server
spreadsheet
virtual_screen
qtune_itself
