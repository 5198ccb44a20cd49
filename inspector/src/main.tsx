/** Begins the page. */
import { render } from "preact";
import { App } from "./app";
import { start } from "./store";
import "./style/colours.css";
import "./style/page.css";
import "./style/text.css";
import "./style/result.css";
import "./style/dialogs.css";
import "./style/narrow.css";

const page = document.getElementById("page") as HTMLElement;
page.replaceChildren();
render(<App />, page);
void start();
