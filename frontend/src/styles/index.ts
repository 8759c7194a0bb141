/** Every style of the page, in the order in which they add to each other. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "dockview/dist/styles/dockview.css";
import "./tokens.css";
import "./base.css";
import "./shell.css";
import "./menus.css";
import "./panes.css";
import "./stages.css";
import "./tables.css";
import "./timeline.css";
import "./why.css";
import "./fusion.css";
import "./mesh.css";
import "./source.css";
import "./dock.css";
import "./phone.css";
