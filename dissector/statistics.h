/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Wireshark's menus and tshark's -z offer of RoCE. Statistics listen to the tap "roce", which hands out
 * a roce_packet for each frame. To be called once each, when protocols are registered. */
#pragma once

void roce_register_report(void);       /* -z roce,report and roce,conv: text, as `rocetop triage` prints it */
void roce_register_connections(void);  /* -z roce,table and the window "RoCE Connections" */
void roce_register_tree(void);         /* -z roce,tree and the window "RoCE Packets" */
void roce_register_conversation(void); /* Analyze, Conversation Filter */
